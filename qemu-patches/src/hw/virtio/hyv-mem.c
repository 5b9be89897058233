/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * HyV: keep hyv.ko informed of guest RAM
 */

#include "qemu/osdep.h"
#include <sys/vfs.h>
#include <linux/magic.h>
#include "qapi/error.h"
#include "qemu/error-report.h"
#include "qemu/units.h"
#include "exec/cpu-common.h"
#include "hyv-compat.h"
#include "hyv-mem.h"
#include "trace.h"

/* Reason why hyv.ko cannot use this RAM, or NULL if it can */
static const char *hyv_ram_unfit(MemoryRegion *mr)
{
    int fd = memory_region_get_fd(mr);
    struct statfs fs;

    if (fd < 0 || !qemu_ram_is_shared(mr->ram_block)) {
        return "is not shared memory";
    }
    if (qemu_ram_pagesize(mr->ram_block) != qemu_real_host_page_size()) {
        return "uses huge pages, which cannot be mapped in parts";
    }
    if (fstatfs(fd, &fs) == 0 && fs.f_type != TMPFS_MAGIC) {
        return "is a file outside tmpfs";
    }
    return NULL;
}

static bool hyv_ram_of_machine(const MemoryRegion *mr)
{
    for (; mr; mr = mr->container) {
        if (mr == current_machine->ram) {
            return true;
        }
    }
    return false;
}

static bool hyv_mem_check_range(Int128 start, Int128 len,
                                const MemoryRegion *const_mr,
                                hwaddr offset_in_region, void *opaque)
{
    MemoryRegion *mr = (MemoryRegion *)const_mr;
    Error **errp = opaque;
    const char *unfit;

    if (!memory_region_is_ram(mr) || !hyv_ram_of_machine(mr)) {
        return false;
    }
    unfit = hyv_ram_unfit(mr);
    if (!unfit) {
        return false;
    }
    error_setg(errp, "guest RAM '%s' %s", memory_region_name(mr), unfit);
    error_append_hint(errp, "Start QEMU with -object memory-backend-memfd,"
                      "id=mem,size=%" PRIu64 "M,share=on -machine "
                      "memory-backend=mem\n",
                      (uint64_t)(current_machine->ram_size / MiB));
    return true;
}

bool hyv_mem_check(Error **errp)
{
    ERRP_GUARD();

    RCU_READ_LOCK_GUARD();
    flatview_for_each_range(address_space_to_flatview(&address_space_memory),
                            hyv_mem_check_range, errp);
    return !*errp;
}

static void hyv_mem_table_init(HyvMemTable *table)
{
    table->regions = g_array_new(false, false, sizeof(struct hyv_mem_region));
    table->mrs = g_ptr_array_new_with_free_func(
        (GDestroyNotify)memory_region_unref);
}

static void hyv_mem_table_free(HyvMemTable *table)
{
    g_array_free(table->regions, true);
    g_ptr_array_free(table->mrs, true);
}

static struct hyv_mem_region *hyv_mem_table_get(const HyvMemTable *table,
                                                guint i)
{
    return &g_array_index(table->regions, struct hyv_mem_region, i);
}

static void hyv_mem_table_clear(HyvMemTable *table)
{
    g_array_set_size(table->regions, 0);
    g_ptr_array_set_size(table->mrs, 0);
}

static void hyv_mem_begin(MemoryListener *listener)
{
    HyvMem *mem = container_of(listener, HyvMem, listener);

    hyv_mem_table_clear(&mem->next);
}

static void hyv_mem_region(MemoryListener *listener,
                           MemoryRegionSection *section)
{
    HyvMem *mem = container_of(listener, HyvMem, listener);
    uint64_t page_size = qemu_real_host_page_size();
    MemoryRegion *mr = section->mr;
    uint64_t start, end;
    struct hyv_mem_region region;

    /* Skip ROM and memory of devices, including the window. */
    if (!memory_region_is_ram(mr) || memory_region_is_ram_device(mr) ||
        section->readonly || hyv_ram_unfit(mr)) {
        return;
    }

    start = section->offset_within_address_space;
    end = QEMU_ALIGN_DOWN(start + int128_get64(section->size), page_size);
    start = QEMU_ALIGN_UP(start, page_size);
    if (start >= end) {
        return;
    }
    region = (struct hyv_mem_region) {
        .gpa = start,
        .length = end - start,
        .addr = (uintptr_t)memory_region_get_ram_ptr(mr) +
                section->offset_within_region +
                (start - section->offset_within_address_space),
    };
    if (region.addr % page_size == 0) {
        memory_region_ref(mr);
        g_array_append_val(mem->next.regions, region);
        g_ptr_array_add(mem->next.mrs, mr);
    }
}

static bool hyv_mem_table_equal(const HyvMemTable *a, const HyvMemTable *b)
{
    guint len = a->regions->len;

    return len == b->regions->len &&
           !memcmp(a->regions->data, b->regions->data,
                   len * sizeof(struct hyv_mem_region));
}

static void hyv_mem_table_swap(HyvMemTable *a, HyvMemTable *b)
{
    HyvMemTable tmp = *a;

    *a = *b;
    *b = tmp;
}

static bool hyv_mem_has(const HyvMemTable *table,
                        const struct hyv_mem_region *region)
{
    for (guint i = 0; i < table->regions->len; i++) {
        if (!memcmp(hyv_mem_table_get(table, i), region, sizeof(*region))) {
            return true;
        }
    }
    return false;
}

static int hyv_mem_run(HyvJob *job)
{
    HyvMem *mem = container_of(job, HyvMem, job);
    GArray *regions = mem->setting.regions;

    return hyv_backend_set_mem(mem->backend, (void *)regions->data,
                               regions->len, &mem->err) ? 0 : -EINVAL;
}

/* Pass @table, which is emptied, to hyv.ko. */
static void hyv_mem_submit(HyvMem *mem, HyvMemTable *table)
{
    trace_hyv_mem_submit(mem, table->regions->len);
    hyv_mem_table_clear(&mem->setting);
    hyv_mem_table_swap(&mem->setting, table);
    mem->busy = true;
    hyv_workers_submit_urgent(mem->workers, &mem->job);
}

/* Most changes of the memory map do not affect RAM. */
static void hyv_mem_update(HyvMem *mem)
{
    mem->changed = false;
    if (!hyv_mem_table_equal(&mem->table, &mem->next)) {
        hyv_mem_submit(mem, &mem->next);
    }
    hyv_mem_table_clear(&mem->next);
}

/*
 * hyv.ko has refused a table and still uses the previous one. Remove RAM that
 * was unplugged from it, so that it can be freed.
 */
static void hyv_mem_shrink(HyvMem *mem)
{
    HyvMemTable less;

    hyv_mem_table_init(&less);
    for (guint i = 0; i < mem->table.regions->len; i++) {
        struct hyv_mem_region *region = hyv_mem_table_get(&mem->table, i);
        MemoryRegion *mr = g_ptr_array_index(mem->table.mrs, i);

        if (hyv_mem_has(&mem->setting, region)) {
            memory_region_ref(mr);
            g_array_append_val(less.regions, *region);
            g_ptr_array_add(less.mrs, mr);
        }
    }
    if (less.regions->len < mem->table.regions->len) {
        mem->shrinking = true;
        hyv_mem_submit(mem, &less);
    }
    hyv_mem_table_free(&less);
}

static void hyv_mem_done(HyvJob *job)
{
    HyvMem *mem = container_of(job, HyvMem, job);

    mem->busy = false;
    if (job->ret == 0) {
        hyv_mem_table_swap(&mem->table, &mem->setting);
        hyv_mem_table_clear(&mem->setting);
        mem->refused = mem->shrinking;
        mem->shrinking = false;
    } else {
        /* Report only the first: a guest can trigger any number of commits. */
        if (mem->refused) {
            error_free(mem->err);
        } else {
            error_report_err(mem->err);
        }
        mem->err = NULL;
        mem->refused = true;
        if (!mem->shrinking) {
            hyv_mem_shrink(mem);
        } else {
            mem->shrinking = false;
        }
        if (!mem->busy) {
            /* Its RAM may be unplugged now. */
            hyv_mem_table_clear(&mem->setting);
        }
    }
    if (mem->changed && !mem->busy) {
        hyv_mem_update(mem);
    }
    if (!mem->busy) {
        mem->idle(mem);
    }
}

static void hyv_mem_commit(MemoryListener *listener)
{
    HyvMem *mem = container_of(listener, HyvMem, listener);

    if (mem->busy) {
        mem->changed = true;
    } else if (mem->started) {
        hyv_mem_update(mem);
    }
}

bool hyv_mem_start(HyvMem *mem, HyvBackend *backend, HyvWorkers *workers,
                   void (*idle)(HyvMem *mem), Error **errp)
{
    *mem = (HyvMem) {
        .backend = backend,
        .workers = workers,
        .idle = idle,
        .job = { .run = hyv_mem_run, .done = hyv_mem_done },
        .listener = {
            .name = "hyv",
            .begin = hyv_mem_begin,
            .region_add = hyv_mem_region,
            .region_nop = hyv_mem_region,
            .commit = hyv_mem_commit,
        },
    };
    hyv_mem_table_init(&mem->table);
    hyv_mem_table_init(&mem->setting);
    hyv_mem_table_init(&mem->next);
    memory_listener_register(&mem->listener, &address_space_memory);
    if (!hyv_backend_set_mem(backend, (void *)mem->next.regions->data,
                             mem->next.regions->len, errp)) {
        hyv_mem_stop(mem);
        hyv_mem_free(mem);
        return false;
    }
    hyv_mem_table_swap(&mem->table, &mem->next);
    mem->started = true;
    return true;
}

void hyv_mem_stop(HyvMem *mem)
{
    /* Unregistering would report an empty memory map. */
    mem->listener.commit = NULL;
    mem->changed = false;
    memory_listener_unregister(&mem->listener);
}

void hyv_mem_free(HyvMem *mem)
{
    hyv_mem_table_free(&mem->table);
    hyv_mem_table_free(&mem->setting);
    hyv_mem_table_free(&mem->next);
}
