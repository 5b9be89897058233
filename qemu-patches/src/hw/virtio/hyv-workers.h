/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * HyV: threads for calls that may block for a long time
 */

#ifndef HW_VIRTIO_HYV_WORKERS_H
#define HW_VIRTIO_HYV_WORKERS_H

#include "hyv-compat.h"
#include "qemu/queue.h"

typedef struct HyvWorkers HyvWorkers;
typedef struct HyvJob HyvJob;

/* Part of a larger structure of the caller */
struct HyvJob {
    int (*run)(HyvJob *job);    /* in a thread, without the BQL */
    void (*done)(HyvJob *job);  /* in the main loop; may free the job */
    int ret;                    /* of @run, or -ECANCELED */
    QSIMPLEQ_ENTRY(HyvJob) next;
};

/*
 * hyv_workers_new: create the first threads; others are created when there are
 * jobs, if that is possible
 * @max_threads: number of jobs that run at the same time, except urgent ones
 * @fail_thread: for tests, the number of the first thread that cannot be
 *               created; 0: all can
 * @guard: engaged while done() runs, so that the device does not handle
 *         accesses to its own registers; must live until hyv_workers_free()
 *
 * Returns: the workers, or NULL with @errp set
 */
HyvWorkers *hyv_workers_new(unsigned int max_threads, unsigned int fail_thread,
                            MemReentrancyGuard *guard, Error **errp);

/*
 * hyv_workers_free: to be called without unfinished jobs; done() of the last
 * one may call it
 */
void hyv_workers_free(HyvWorkers *w);

/*
 * Jobs start in the order in which they are submitted, and wait if there are
 * already as many as threads.
 */
void hyv_workers_submit(HyvWorkers *w, HyvJob *job);

/* Start the job at once. There are threads for two such jobs at a time. */
void hyv_workers_submit_urgent(HyvWorkers *w, HyvJob *job);

/* Complete jobs that have not started with -ECANCELED, except urgent ones. */
void hyv_workers_cancel(HyvWorkers *w);

/* Wait for all jobs. Blocks the caller; their done() runs in here. */
void hyv_workers_drain(HyvWorkers *w);

#endif
