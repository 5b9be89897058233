// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: domains
 *
 * Queue pairs of thread domains, whose threads write at the same time without
 * locks, as many as have a doorbell each; one more domain fails, and leaves no
 * damage.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "rc.h"

#define DOMAINS 16
#define WRITES	50

struct domain {
	struct rc rc; /* with the parent domain as its PD */
	struct ibv_td *td;
	struct rc_pair pair;
	struct ibv_mr *mr;
	char *memory;
	pthread_t thread;
};

static struct ibv_td *td_alloc(struct rc *rc)
{
	struct ibv_td_init_attr init = {0};

	return ibv_alloc_td(rc->context, &init);
}

static void domain_open(struct domain *d, struct rc *rc)
{
	struct ibv_parent_domain_init_attr init = {.pd = rc->pd};

	d->rc = *rc;
	d->td = td_alloc(rc);
	if (!d->td)
		die_errno("cannot allocate a thread domain");
	init.td = d->td;
	d->rc.pd = ibv_alloc_parent_domain(rc->context, &init);
	if (!d->rc.pd)
		die_errno("cannot allocate a parent domain");
	/* Many threads that poll would keep each other from running. */
	rc_pair_open(&d->pair, &d->rc, true);
	d->memory = pages_anonymous(2 * PAGE);
	d->mr = rc_register(rc, d->memory, 2 * PAGE);
}

static void domain_close(struct domain *d)
{
	rc_deregister(d->mr);
	pages_free(d->memory, 2 * PAGE);
	rc_pair_close(&d->pair);
	errno = ibv_dealloc_pd(d->rc.pd);
	if (errno)
		die_errno("cannot deallocate a parent domain");
	errno = ibv_dealloc_td(d->td);
	if (errno)
		die_errno("cannot deallocate a thread domain");
}

static void *writes(void *arg)
{
	struct domain *d = arg;
	uint64_t i;

	for (i = 0; i < WRITES; i++) {
		pattern_fill(d->memory, PAGE, i, i + 1);
		rc_transfer(&d->pair, IBV_WR_RDMA_WRITE, d->mr, d->memory,
			    (uintptr_t)d->memory + PAGE, d->mr->rkey, PAGE);
		pattern_check("a write", d->memory + PAGE, PAGE, i, i + 1);
	}
	return NULL;
}

int main(void)
{
	static struct domain domain[DOMAINS];
	struct ibv_td *td;
	struct rc rc;
	int i;

	rc_open(&rc);
	for (i = 0; i < DOMAINS; i++)
		domain_open(&domain[i], &rc);
	errno = 0;
	td = td_alloc(&rc);
	if (td)
		die("there are more thread domains than doorbells");
	printf("one more thread domain: %s\n", strerror(errno));
	for (i = 0; i < DOMAINS; i++)
		if (pthread_create(&domain[i].thread, NULL, writes, &domain[i]))
			die("cannot create a thread");
	for (i = 0; i < DOMAINS; i++)
		pthread_join(domain[i].thread, NULL);
	for (i = 0; i < DOMAINS; i++)
		domain_close(&domain[i]);
	/* Use again what they had. */
	domain_open(&domain[0], &rc);
	writes(&domain[0]);
	domain_close(&domain[0]);
	rc_close(&rc);
	printf("%d thread domains\n", DOMAINS);
	return 0;
}
