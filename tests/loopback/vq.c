// SPDX-License-Identifier: GPL-2.0-only
/*
 * The device's side of a split virtqueue. The driver is under test, so what it
 * puts into a ring is checked.
 */
#include <endian.h>
#include <string.h>

#include "harness.h"
#include "vq.h"

static void *vq_at(const struct vq *q, uint64_t addr, uint64_t len)
{
	REQUIRE(addr && len <= q->ram_size && addr <= q->ram_size - len,
		"%#llx is an address of memory", (unsigned long long)addr);
	return q->ram + addr;
}

void vq_init(struct vq *q, uint8_t *ram, uint64_t ram_size,
	     const struct loop_queue *where)
{
	memset(q, 0, sizeof(*q));
	q->ram = ram;
	q->ram_size = ram_size;
	q->num = where->num;
	q->desc = vq_at(q, where->desc, q->num * sizeof(*q->desc));
	q->avail = vq_at(q, where->avail, 6 + 2 * q->num);
	q->used = vq_at(q, where->used, 6 + 8 * q->num);
}

static bool vq_available(struct vq *q)
{
	return le16toh(__atomic_load_n(&q->avail->idx, __ATOMIC_ACQUIRE)) !=
	       q->last_avail;
}

static void vq_add_part(struct vq *q, struct vq_chain *chain,
			const struct vring_desc *desc)
{
	uint32_t len = le32toh(desc->len);
	uint8_t *at = vq_at(q, le64toh(desc->addr), len);

	if (le16toh(desc->flags) & VRING_DESC_F_WRITE) {
		REQUIRE(chain->nr_out < VQ_MAX_OUT, "a reply of few parts");
		chain->out[chain->nr_out].at = at;
		chain->out[chain->nr_out++].len = len;
		chain->room += len;
		return;
	}
	REQUIRE(!chain->nr_out, "the reply is after the request");
	REQUIRE(len <= VQ_MAX_IN - chain->in_len, "a request fits");
	memcpy(chain->in + chain->in_len, at, len);
	chain->in_len += len;
}

static void vq_walk(struct vq *q, struct vq_chain *chain,
		    const struct vring_desc *table, uint32_t num, uint32_t next)
{
	struct vring_desc desc;
	uint32_t n;

	for (n = 0; n < num; n++) {
		REQUIRE(next < num, "a descriptor is in its table");
		desc = table[next];
		if (le16toh(desc.flags) & VRING_DESC_F_INDIRECT) {
			REQUIRE(table == q->desc, "one level of tables");
			vq_walk(q, chain,
				vq_at(q, le64toh(desc.addr), le32toh(desc.len)),
				le32toh(desc.len) / sizeof(desc), 0);
		} else {
			vq_add_part(q, chain, &desc);
		}
		if (!(le16toh(desc.flags) & VRING_DESC_F_NEXT))
			return;
		next = le16toh(desc.next);
	}
	REQUIRE(false, "a chain ends");
}

/* Take the driver's next chain; false if there is none. */
bool vq_pop(struct vq *q, struct vq_chain *chain)
{
	if (!vq_available(q)) {
		/* The event index: kick when there is another one. */
		__atomic_store_n((uint16_t *)&q->used->ring[q->num],
				 htole16(q->last_avail), __ATOMIC_SEQ_CST);
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		if (!vq_available(q))
			return false;
	}
	chain->head = le16toh(q->avail->ring[q->last_avail++ % q->num]);
	chain->in_len = 0;
	chain->nr_out = 0;
	chain->room = 0;
	vq_walk(q, chain, q->desc, q->num, chain->head);
	return true;
}

/* Write to the room of a chain, as much as fits. */
void vq_write(const struct vq_chain *chain, const void *data, uint32_t len)
{
	uint32_t i, n;

	for (i = 0; i < chain->nr_out && len; i++) {
		n = chain->out[i].len < len ? chain->out[i].len : len;
		memcpy(chain->out[i].at, data, n);
		data = (const uint8_t *)data + n;
		len -= n;
	}
}

/* Return a chain to the driver. A test may pass any head and length. */
void vq_push(struct vq *q, uint32_t head, uint32_t len)
{
	struct vring_used_elem *elem = &q->used->ring[q->used_idx % q->num];

	elem->id = htole32(head);
	elem->len = htole32(len);
	__atomic_store_n(&q->used->idx, htole16(++q->used_idx),
			 __ATOMIC_RELEASE);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}
