/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * HyV: keep hyv.ko informed of guest RAM
 */

#ifndef HW_VIRTIO_HYV_MEM_H
#define HW_VIRTIO_HYV_MEM_H

#include "hyv-compat.h"
#include "hyv-backend.h"
#include "hyv-workers.h"

/* Regions sorted by address, and references that keep their RAM mapped */
typedef struct HyvMemTable {
    GArray *regions;            /* struct hyv_mem_region */
    GPtrArray *mrs;             /* MemoryRegion */
} HyvMemTable;

typedef struct HyvMem {
    MemoryListener listener;
    HyvBackend *backend;
    HyvWorkers *workers;
    /* Called when @busy becomes false */
    void (*idle)(struct HyvMem *mem);
    HyvMemTable table;          /* the table that hyv.ko uses */
    HyvMemTable setting;        /* the table that @job passes to hyv.ko */
    HyvMemTable next;           /* the table being collected */
    HyvJob job;
    Error *err;                 /* of @job */
    bool busy;                  /* @job is unfinished: do not begin requests */
    bool changed;               /* @next was collected while @busy */
    bool refused;               /* hyv.ko refused the last table */
    bool shrinking;             /* @setting is what is left of @table */
    bool started;
} HyvMem;

/*
 * hyv_mem_check: check that the machine's RAM can be used for RDMA
 *
 * hyv.ko maps the pages of a buffer that is scattered in guest memory a second
 * time, contiguously. That works for a memfd or another file in tmpfs, and only
 * if QEMU maps it shared.
 *
 * Returns: true, or false with @errp set
 */
bool hyv_mem_check(Error **errp);

/*
 * hyv_mem_start: pass the table of RAM regions to hyv.ko, now and on changes
 *
 * hyv.ko returns from a change when no request uses the old table any longer. A
 * job waits for that, while the old table and its RAM are kept.
 *
 * Returns: true, or false with @errp set; do not call hyv_mem_stop() then
 */
bool hyv_mem_start(HyvMem *mem, HyvBackend *backend, HyvWorkers *workers,
                   void (*idle)(HyvMem *mem), Error **errp);
/* The table stays in force, and its RAM mapped. */
void hyv_mem_stop(HyvMem *mem);
/* After hyv_mem_stop(), when hyv.ko executes no more requests; not if @busy */
void hyv_mem_free(HyvMem *mem);

#endif
