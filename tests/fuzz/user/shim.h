/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * As much of the kernel as its pure units need, for user space. The Makefile
 * makes a header for each <linux/...> and <rdma/...> that the units include;
 * all of them lead here.
 */
#ifndef FUZZ_SHIM_H
#define FUZZ_SHIM_H

#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <linux/types.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s64 s64;
typedef unsigned int gfp_t;

/* The assertion that ends a fuzzer; NDEBUG must not remove it. */
#define FUZZ_CHECK(cond)                                        \
	do {                                                    \
		if (!(cond))                                    \
			fuzz_failed(__FILE__, __LINE__, #cond); \
	} while (0)
void fuzz_failed(const char *file, int line, const char *what);

/* Language. */
#define __force
#define __user
#define __packed	 __attribute__((packed))
#define READ_ONCE(x)	 (*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, v) (*(volatile __typeof__(x) *)&(x) = (v))
#undef static_assert
#define static_assert(cond, ...) _Static_assert(cond, #cond)
#define BUILD_BUG_ON(cond)	 _Static_assert(!(cond), #cond)
#define WARN_ON_ONCE(cond)           \
	({                           \
		bool warn_ = (cond); \
		FUZZ_CHECK(!warn_);  \
		warn_;               \
	})
#define container_of(ptr, type, member) \
	((type *)((char *)(ptr) - offsetof(type, member)))
#define sizeof_field(type, member) sizeof(((type *)0)->member)
#define ARRAY_SIZE(a)		   (sizeof(a) / sizeof((a)[0]))
#define swap(a, b)                         \
	do {                               \
		__typeof__(a) swap_ = (a); \
		(a) = (b);                 \
		(b) = swap_;               \
	} while (0)
#define memset_after(obj, v, member)                                   \
	memset((char *)(obj) + offsetof(__typeof__(*(obj)), member) +  \
		       sizeof((obj)->member),                          \
	       v,                                                      \
	       sizeof(*(obj)) - offsetof(__typeof__(*(obj)), member) - \
		       sizeof((obj)->member))

/* Messages are dropped, but their arguments are evaluated. */
static inline void shim_log(const char *fmt, ...)
{
	(void)fmt;
}

#define pr_debug(...) shim_log(__VA_ARGS__)

/* Errors. */
#define ERESTARTSYS    512
#define ERESTARTNOINTR 513
#define ERESTARTNOHAND 514
#define ENOTSUPP       524
#define ERR_PTR(err)   ((void *)(long)(err))
#define PTR_ERR(ptr)   ((long)(ptr))
#define IS_ERR(ptr)    ((unsigned long)(ptr) >= -4095UL)

/* Numbers. */
#define U8_MAX	((u8)~0)
#define U16_MAX ((u16)~0)
#define U32_MAX ((u32)~0)
#define U64_MAX (~0ULL)
#define min(a, b)                       \
	({                              \
		__typeof__(a) a_ = (a); \
		__typeof__(b) b_ = (b); \
		a_ < b_ ? a_ : b_;      \
	})
#define max(a, b)                       \
	({                              \
		__typeof__(a) a_ = (a); \
		__typeof__(b) b_ = (b); \
		a_ > b_ ? a_ : b_;      \
	})
#define min_t(type, a, b)	    min((type)(a), (type)(b))
#define max_t(type, a, b)	    max((type)(a), (type)(b))
#define clamp(v, lo, hi)	    min(max(v, lo), hi)
#define ALIGN(x, a)		    (((x) + (__typeof__(x))(a) - 1) & ~((__typeof__(x))(a) - 1))
#define ALIGN_DOWN(x, a)	    ((x) & ~((__typeof__(x))(a) - 1))
#define IS_ALIGNED(x, a)	    (((x) & ((__typeof__(x))(a) - 1)) == 0)
#define round_up(x, a)		    ALIGN(x, a)
#define round_down(x, a)	    ALIGN_DOWN(x, a)
#define DIV_ROUND_UP(n, d)	    (((n) + (d) - 1) / (d))
#define BIT(n)			    (1UL << (n))
#define BIT_ULL(n)		    (1ULL << (n))
#define BITS_PER_BYTE		    8
#define GENMASK_ULL(h, l)	    ((~0ULL << (l)) & (~0ULL >> (63 - (h))))
#define __ffs64(x)		    ((unsigned int)__builtin_ctzll(x))
#define check_add_overflow(a, b, d) __builtin_add_overflow(a, b, d)
#define check_mul_overflow(a, b, d) __builtin_mul_overflow(a, b, d)
#define array_size(n, size)	    shim_array_size(n, size)
#define size_add(a, b)		    shim_size_add(a, b)
#define size_mul(a, b)		    shim_array_size(a, b)
#define struct_size(p, member, n) \
	(sizeof(*(p)) + shim_array_size(n, sizeof((p)->member[0])))

static inline size_t shim_array_size(size_t n, size_t size)
{
	size_t bytes;

	return __builtin_mul_overflow(n, size, &bytes) ? SIZE_MAX : bytes;
}

static inline size_t shim_size_add(size_t a, size_t b)
{
	size_t bytes;

	return __builtin_add_overflow(a, b, &bytes) ? SIZE_MAX : bytes;
}

static inline bool is_power_of_2(unsigned long n)
{
	return n && !(n & (n - 1));
}

static inline unsigned long roundup_pow_of_two(unsigned long n)
{
	unsigned long power = 1;

	while (power < n)
		power <<= 1;
	return power;
}

/* The host of the fuzzers is little endian, as the supported ones. */
_Static_assert(__BYTE_ORDER == __LITTLE_ENDIAN, "little endian");
#define cpu_to_le16(x)		 ((__le16)(u16)(x))
#define cpu_to_le32(x)		 ((__le32)(u32)(x))
#define cpu_to_le64(x)		 ((__le64)(u64)(x))
#define le16_to_cpu(x)		 ((u16)(x))
#define le32_to_cpu(x)		 ((u32)(x))
#define le64_to_cpu(x)		 ((u64)(x))
#define cpu_to_be16(x)		 ((__be16)htobe16(x))
#define cpu_to_be32(x)		 ((__be32)htobe32(x))
#define be16_to_cpu(x)		 be16toh(x)
#define be32_to_cpu(x)		 be32toh(x)
#define __virtio16_to_cpu(le, x) ((void)(le), (u16)(x))
#define __virtio32_to_cpu(le, x) ((void)(le), (u32)(x))
#define __virtio64_to_cpu(le, x) ((void)(le), (u64)(x))
#define __cpu_to_virtio16(le, x) ((void)(le), (__virtio16)(x))
#define __cpu_to_virtio32(le, x) ((void)(le), (__virtio32)(x))
#define __cpu_to_virtio64(le, x) ((void)(le), (__virtio64)(x))

/* Memory. An input may let an allocation fail: see fuzz_fail_alloc(). */
#define PAGE_SHIFT	   12
#define PAGE_SIZE	   (1UL << PAGE_SHIFT)
#define PAGE_MASK	   (~(PAGE_SIZE - 1))
#define PAGE_ALIGN(x)	   ALIGN(x, PAGE_SIZE)
#define PAGE_ALIGNED(x)	   IS_ALIGNED((unsigned long)(x), PAGE_SIZE)
#define offset_in_page(p)  ((unsigned long)(p) & ~PAGE_MASK)
#define GFP_KERNEL	   0
#define GFP_KERNEL_ACCOUNT 0
#define __GFP_NOWARN	   0
#define __GFP_ZERO	   1

void *shim_alloc(size_t size, gfp_t gfp);

#define kmalloc(size, gfp)	     shim_alloc(size, gfp)
#define kzalloc(size, gfp)	     shim_alloc(size, (gfp) | __GFP_ZERO)
#define kvmalloc(size, gfp)	     shim_alloc(size, gfp)
#define kvzalloc(size, gfp)	     shim_alloc(size, (gfp) | __GFP_ZERO)
#define kmalloc_array(n, size, gfp)  shim_alloc(shim_array_size(n, size), gfp)
#define kvmalloc_array(n, size, gfp) shim_alloc(shim_array_size(n, size), gfp)
#define kcalloc(n, size, gfp) \
	shim_alloc(shim_array_size(n, size), (gfp) | __GFP_ZERO)
#define kvcalloc(n, size, gfp) \
	shim_alloc(shim_array_size(n, size), (gfp) | __GFP_ZERO)
#define kfree(p)  free((void *)(p))
#define kvfree(p) free((void *)(p))

static inline void *memchr_inv(const void *p, int c, size_t len)
{
	const u8 *at = p;

	for (; len; len--, at++)
		if (*at != (u8)c)
			return (void *)at;
	return NULL;
}

static inline void sort(void *base, size_t n, size_t size,
			int (*cmp)(const void *, const void *), void *swap_fn)
{
	(void)swap_fn;
	qsort(base, n, size, cmp);
}

/* The only task; nobody kills it. */
#define current			NULL
#define cond_resched()		((void)0)
#define fatal_signal_pending(t) ((void)(t), false)

/* One thread: a lock only has to be taken once and released. */
typedef struct {
	bool held;
} spinlock_t;

static inline void spin_lock_init(spinlock_t *lock)
{
	lock->held = false;
}

static inline void spin_lock(spinlock_t *lock)
{
	FUZZ_CHECK(!lock->held);
	lock->held = true;
}

static inline void spin_unlock(spinlock_t *lock)
{
	FUZZ_CHECK(lock->held);
	lock->held = false;
}

#define lockdep_assert_held(lock)	    FUZZ_CHECK((lock)->held)
#define spin_lock_irqsave(lock, flags)	    ((flags) = 0, spin_lock(lock))
#define spin_unlock_irqrestore(lock, flags) ((void)(flags), spin_unlock(lock))

/* one thread, so these only stop the compiler */
#define smp_mb() __atomic_thread_fence(__ATOMIC_SEQ_CST)
/* reads */
#define smp_rmb() __atomic_thread_fence(__ATOMIC_ACQUIRE)
/* writes */
#define smp_wmb()  __atomic_thread_fence(__ATOMIC_RELEASE)
#define xchg(p, v) __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST)

typedef struct {
	s64 counter;
} atomic64_t;

static inline s64 atomic64_fetch_andnot_release(s64 bits, atomic64_t *v)
{
	return __atomic_fetch_and(&v->counter, ~bits, __ATOMIC_RELEASE);
}

struct kref {
	unsigned int count;
};

static inline void kref_init(struct kref *ref)
{
	ref->count = 1;
}

static inline void kref_get(struct kref *ref)
{
	FUZZ_CHECK(ref->count);
	ref->count++;
}

static inline int kref_put(struct kref *ref, void (*release)(struct kref *))
{
	FUZZ_CHECK(ref->count);
	if (--ref->count)
		return 0;
	release(ref);
	return 1;
}

/* Counts, which must not leave zero, and completions, which nobody else awaits.
 */
typedef struct {
	unsigned int count;
} refcount_t;

static inline void refcount_set(refcount_t *ref, unsigned int n)
{
	ref->count = n;
}

static inline void refcount_inc(refcount_t *ref)
{
	FUZZ_CHECK(ref->count);
	ref->count++;
}

static inline bool refcount_dec_and_test(refcount_t *ref)
{
	FUZZ_CHECK(ref->count);
	return !--ref->count;
}

struct completion {
	bool done;
};

static inline void init_completion(struct completion *c)
{
	c->done = false;
}

static inline void complete(struct completion *c)
{
	FUZZ_CHECK(!c->done);
	c->done = true;
}

static inline int wait_for_completion_killable(struct completion *c)
{
	FUZZ_CHECK(c->done);
	return 0;
}

/* Lists, whose links are checked whenever they change. */
struct list_head {
	struct list_head *next, *prev;
};

static inline void INIT_LIST_HEAD(struct list_head *head)
{
	head->next = head;
	head->prev = head;
}

static inline void list_insert(struct list_head *entry, struct list_head *prev)
{
	struct list_head *next = prev->next;

	FUZZ_CHECK(next->prev == prev);
	entry->prev = prev;
	entry->next = next;
	prev->next = entry;
	next->prev = entry;
}

static inline void list_add(struct list_head *entry, struct list_head *head)
{
	list_insert(entry, head);
}

static inline void list_add_tail(struct list_head *entry,
				 struct list_head *head)
{
	list_insert(entry, head->prev);
}

static inline void list_del(struct list_head *entry)
{
	FUZZ_CHECK(entry->next->prev == entry && entry->prev->next == entry);
	entry->next->prev = entry->prev;
	entry->prev->next = entry->next;
	entry->next = NULL;
	entry->prev = NULL;
}

static inline void list_del_init(struct list_head *entry)
{
	list_del(entry);
	INIT_LIST_HEAD(entry);
}

static inline void list_move_tail(struct list_head *entry,
				  struct list_head *head)
{
	list_del(entry);
	list_add_tail(entry, head);
}

static inline bool list_empty(const struct list_head *head)
{
	return head->next == head;
}

#define list_entry(ptr, type, member) container_of(ptr, type, member)
#define list_first_entry(head, type, member) \
	list_entry((head)->next, type, member)
#define list_last_entry(head, type, member) \
	list_entry((head)->prev, type, member)
#define list_first_entry_or_null(head, type, member) \
	(list_empty(head) ? NULL : list_first_entry(head, type, member))
#define list_for_each(pos, head) \
	for (pos = (head)->next; pos != (head); pos = pos->next)
#define list_for_each_entry(pos, head, member)                         \
	for (pos = list_entry((head)->next, __typeof__(*pos), member); \
	     &pos->member != (head);                                   \
	     pos = list_entry(pos->member.next, __typeof__(*pos), member))
#define list_for_each_entry_safe(pos, n, head, member)                  \
	for (pos = list_entry((head)->next, __typeof__(*pos), member),  \
	    n = list_entry(pos->member.next, __typeof__(*pos), member); \
	     &pos->member != (head);                                    \
	     pos = n, n = list_entry(n->member.next, __typeof__(*n), member))

#include "shim_rbtree.h"
#include "shim_uaccess.h"

u32 crc32_le(u32 crc, const u8 *p, size_t len);

#endif /* FUZZ_SHIM_H */
