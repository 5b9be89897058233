// SPDX-License-Identifier: GPL-2.0-only
#include "pair.h"

struct pair pair_create(enum eng_qp_type type)
{
	const u32 all = ENG_LOCAL_WRITE | ENG_REMOTE_READ | ENG_REMOTE_WRITE |
			ENG_REMOTE_ATOMIC;
	struct pair p = {.w = world_create()};
	u64 i;

	p.abuf = buf_create(p.w, PAIR_BYTES, 0x108);
	p.bbuf = buf_create(p.w, PAIR_BYTES, 0xff0);
	for (i = 0; i < PAIR_BYTES; i++)
		*(u8 *)buf_at(p.abuf, i) = i * 7 + i / 251;
	p.akey = key_create(p.w, p.abuf, 1, all);
	p.bkey = key_create(p.w, p.bbuf, 2, all);
	p.acq = cq_create(p.w, 16, 64);
	p.bcq = cq_create(p.w, 16, 128);
	p.a = qp_create(p.w, &(struct qp_opts){.type = type,
					       .send_cq = p.acq,
					       .recv_cq = p.acq,
					       .pdn = 1});
	p.b = qp_create(p.w, &(struct qp_opts){.type = type,
					       .send_cq = p.bcq,
					       .recv_cq = p.bcq,
					       .pdn = 2});
	qp_connect(p.a, p.b);
	world_run(p.w);
	return p;
}

void pair_destroy(struct pair *p)
{
	world_destroy(p->w);
}

struct qp *pair_connect_srq(struct pair *p, struct srq *srq)
{
	struct qp *c = qp_create(p->w, &(struct qp_opts){.type = ENG_RC,
							 .send_cq = p->bcq,
							 .recv_cq = p->bcq,
							 .srq = srq,
							 .pdn = 2});

	qp_connect(p->a, c);
	return c;
}

struct sge pair_a(struct pair *p, u64 offset, u32 bytes)
{
	return (struct sge){p->abuf->va + offset, bytes, p->akey->eng.key};
}

struct sge pair_b(struct pair *p, u64 offset, u32 bytes)
{
	return (struct sge){p->bbuf->va + offset, bytes, p->bkey->eng.key};
}
