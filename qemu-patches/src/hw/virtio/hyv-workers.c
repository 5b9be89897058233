/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * HyV: threads for calls that may block for a long time
 *
 * QEMU's thread pools are shared with block I/O or cannot cancel jobs, and what
 * they offer differs between its versions.
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/atomic.h"
#include "qemu/main-loop.h"
#include "qemu/thread.h"
#include "hyv-workers.h"

#define HYV_WORKER_IDLE_MS      10000

/* Threads that no other job gets, so that urgent ones can start at any time */
#define HYV_WORKERS_URGENT      2
/* Jobs that are completed before the main loop goes on */
#define HYV_WORKERS_BATCH       256
/* Threads that always exist, as it may be impossible to create others */
#define HYV_WORKERS_MIN         (HYV_WORKERS_URGENT + 1)

typedef QSIMPLEQ_HEAD(, HyvJob) HyvJobs;

struct HyvWorkers {
    unsigned int refs;          /* of the owner and of each thread */
    unsigned int max_threads;   /* with those for urgent jobs */
    unsigned int fail_thread;
    QEMUBH *bh;

    QemuMutex lock;             /* protects all members below */
    QemuCond work;              /* there may be a job, or @closing is set */
    QemuCond idle;              /* a job is over */
    HyvJobs urgent;
    HyvJobs queue;
    HyvJobs done;               /* wait for the main loop */
    unsigned int nr_queued;     /* in @queue */
    unsigned int nr_running;    /* jobs that were in @queue */
    unsigned int nr_unfinished; /* jobs of both kinds that are not in @done */
    unsigned int nr_threads;
    bool closing;
};

static void hyv_workers_unref(HyvWorkers *w)
{
    if (qatomic_fetch_dec(&w->refs) > 1) {
        return;
    }
    qemu_cond_destroy(&w->idle);
    qemu_cond_destroy(&w->work);
    qemu_mutex_destroy(&w->lock);
    g_free(w);
}

/* Threads for jobs that are not urgent. Called with the lock held. */
static unsigned int hyv_workers_capacity(HyvWorkers *w)
{
    return w->nr_threads - HYV_WORKERS_URGENT;
}

static HyvJob *hyv_workers_take(HyvWorkers *w, HyvJobs *queue)
{
    HyvJob *job = QSIMPLEQ_FIRST(queue);

    QSIMPLEQ_REMOVE_HEAD(queue, next);
    return job;
}

/* Wait for a job; NULL ends the thread. Called with the lock held. */
static HyvJob *hyv_workers_next(HyvWorkers *w, bool *urgent)
{
    bool timeout = false;

    for (;;) {
        *urgent = !QSIMPLEQ_EMPTY(&w->urgent);
        if (*urgent) {
            return hyv_workers_take(w, &w->urgent);
        }
        if (w->nr_queued && w->nr_running < hyv_workers_capacity(w)) {
            w->nr_queued--;
            w->nr_running++;
            return hyv_workers_take(w, &w->queue);
        }
        if (w->closing || (timeout && w->nr_threads > HYV_WORKERS_MIN &&
                           w->nr_running < hyv_workers_capacity(w))) {
            return NULL;
        }
        timeout = !qemu_cond_timedwait(&w->work, &w->lock, HYV_WORKER_IDLE_MS);
    }
}

static void *hyv_worker(void *opaque)
{
    HyvWorkers *w = opaque;
    HyvJob *job;
    bool urgent;

    qemu_mutex_lock(&w->lock);
    while ((job = hyv_workers_next(w, &urgent))) {
        qemu_mutex_unlock(&w->lock);

        job->ret = job->run(job);

        qemu_mutex_lock(&w->lock);
        if (!urgent) {
            w->nr_running--;
        }
        w->nr_unfinished--;
        QSIMPLEQ_INSERT_TAIL(&w->done, job, next);
        /* Not after unlocking: the main loop might have deleted it. */
        qemu_bh_schedule(w->bh);
        qemu_cond_signal(&w->idle);
    }
    w->nr_threads--;
    qemu_mutex_unlock(&w->lock);
    hyv_workers_unref(w);
    return NULL;
}

/*
 * Returns 0 or an error number, where qemu_thread_create() would abort: a guest
 * decides how many threads it makes. Called with the lock held.
 */
static int hyv_workers_add_thread(HyvWorkers *w)
{
    sigset_t blocked, old;
    pthread_t thread;
    int ret = EAGAIN;

    if (w->fail_thread && w->nr_threads + 1 >= w->fail_thread) {
        return ret;
    }
    /* Signals are for QEMU's main thread, except those of a fault. */
    sigfillset(&blocked);
    sigdelset(&blocked, SIGFPE);
    sigdelset(&blocked, SIGILL);
    sigdelset(&blocked, SIGSEGV);
    pthread_sigmask(SIG_SETMASK, &blocked, &old);
    qatomic_inc(&w->refs);
    ret = pthread_create(&thread, NULL, hyv_worker, w);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (ret) {
        qatomic_dec(&w->refs);
        return ret;
    }
    pthread_detach(thread);
    w->nr_threads++;
    return 0;
}

void hyv_workers_submit(HyvWorkers *w, HyvJob *job)
{
    QEMU_LOCK_GUARD(&w->lock);
    QSIMPLEQ_INSERT_TAIL(&w->queue, job, next);
    w->nr_queued++;
    w->nr_unfinished++;
    if (w->nr_running + w->nr_queued > hyv_workers_capacity(w) &&
        w->nr_threads < w->max_threads) {
        /* If that fails, the job waits for one of the threads that exist. */
        hyv_workers_add_thread(w);
    }
    qemu_cond_signal(&w->work);
}

void hyv_workers_submit_urgent(HyvWorkers *w, HyvJob *job)
{
    QEMU_LOCK_GUARD(&w->lock);
    QSIMPLEQ_INSERT_TAIL(&w->urgent, job, next);
    w->nr_unfinished++;
    qemu_cond_signal(&w->work);
}

void hyv_workers_cancel(HyvWorkers *w)
{
    HyvJob *job;

    QEMU_LOCK_GUARD(&w->lock);
    while (w->nr_queued) {
        job = hyv_workers_take(w, &w->queue);
        w->nr_queued--;
        w->nr_unfinished--;
        job->ret = -ECANCELED;
        QSIMPLEQ_INSERT_TAIL(&w->done, job, next);
    }
    qemu_bh_schedule(w->bh);
}

static HyvJob *hyv_workers_take_done(HyvWorkers *w)
{
    QEMU_LOCK_GUARD(&w->lock);
    return QSIMPLEQ_EMPTY(&w->done) ? NULL : hyv_workers_take(w, &w->done);
}

static void hyv_workers_complete(void *opaque)
{
    HyvWorkers *w = opaque;
    HyvJob *job;
    int i;

    /* done() may free the workers. */
    qatomic_inc(&w->refs);
    for (i = 0; i < HYV_WORKERS_BATCH; i++) {
        job = hyv_workers_take_done(w);
        if (!job) {
            break;
        }
        job->done(job);
    }
    /* done() may submit others; the main loop must go on in between. */
    if (i == HYV_WORKERS_BATCH && w->bh) {
        qemu_bh_schedule(w->bh);
    }
    hyv_workers_unref(w);
}

/* Wait until no job runs; return whether there were any. */
static bool hyv_workers_wait(HyvWorkers *w)
{
    QEMU_LOCK_GUARD(&w->lock);
    while (w->nr_unfinished) {
        qemu_cond_wait(&w->idle, &w->lock);
    }
    return !QSIMPLEQ_EMPTY(&w->done);
}

void hyv_workers_drain(HyvWorkers *w)
{
    qatomic_inc(&w->refs);
    while (hyv_workers_wait(w)) {
        hyv_workers_complete(w);
    }
    hyv_workers_unref(w);
}

HyvWorkers *hyv_workers_new(unsigned int max_threads, unsigned int fail_thread,
                            MemReentrancyGuard *guard, Error **errp)
{
    HyvWorkers *w = g_new0(HyvWorkers, 1);
    int ret = 0;

    w->refs = 1;
    w->max_threads = max_threads + HYV_WORKERS_URGENT;
    w->fail_thread = fail_thread;
    w->bh = qemu_bh_new_guarded(hyv_workers_complete, w, guard);
    qemu_mutex_init(&w->lock);
    qemu_cond_init(&w->work);
    qemu_cond_init(&w->idle);
    QSIMPLEQ_INIT(&w->urgent);
    QSIMPLEQ_INIT(&w->queue);
    QSIMPLEQ_INIT(&w->done);
    WITH_QEMU_LOCK_GUARD(&w->lock) {
        while (!ret && w->nr_threads < HYV_WORKERS_MIN) {
            ret = hyv_workers_add_thread(w);
        }
    }
    if (ret) {
        error_setg_errno(errp, ret, "virtio-hyv: cannot create threads");
        hyv_workers_free(w);
        return NULL;
    }
    return w;
}

void hyv_workers_free(HyvWorkers *w)
{
    WITH_QEMU_LOCK_GUARD(&w->lock) {
        assert(!w->nr_unfinished);
        w->closing = true;
        qemu_bh_delete(w->bh);
        w->bh = NULL;
        qemu_cond_broadcast(&w->work);
    }
    hyv_workers_unref(w);
}
