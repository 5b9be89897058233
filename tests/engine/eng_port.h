/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The environment of the engine: a program.
 */
#ifndef ENG_PORT_H
#define ENG_PORT_H

#include <endian.h>
#include <errno.h>
#include <linux/types.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int64_t s64;

#define BIT(n)	     (1U << (n))
#define __aligned(n) __attribute__((aligned(n)))
#define noinline     __attribute__((noinline))

#define cpu_to_be16 htobe16
#define cpu_to_be32 htobe32
#define cpu_to_be64 htobe64
#define be16_to_cpu be16toh
#define be32_to_cpu be32toh
#define be64_to_cpu be64toh

/*
 * Without the hooks, and with a spinlock, instructions are counted. Otherwise a
 * test may change memory before each read of it, and sees each write.
 */
#ifdef ENG_PORT_COUNT
static inline void eng_port_reads(const volatile void *from, size_t n)
{
}

static inline void eng_port_writes(const volatile void *to, size_t n)
{
}

static inline bool eng_port_is_bad(const void *at, size_t n)
{
	return false;
}
#else
extern void (*eng_port_before_read)(const volatile void *from, size_t n);
extern void (*eng_port_before_write)(const volatile void *to, size_t n);

static inline void eng_port_reads(const volatile void *from, size_t n)
{
	if (eng_port_before_read)
		eng_port_before_read(from, n);
}

static inline void eng_port_writes(const volatile void *to, size_t n)
{
	if (eng_port_before_write)
		eng_port_before_write(to, n);
}

/* Memory between these addresses is bad: reading and writing it fails. */
extern const u8 *eng_port_bad, *eng_port_bad_end;

static inline bool eng_port_is_bad(const void *at, size_t n)
{
	return eng_port_bad && (const u8 *)at < eng_port_bad_end &&
	       (const u8 *)at + n > eng_port_bad;
}
#endif

#define READ_ONCE(x)                                     \
	({                                               \
		eng_port_reads(&(x), sizeof(x));         \
		__atomic_load_n(&(x), __ATOMIC_RELAXED); \
	})
#define WRITE_ONCE(x, v)                                     \
	({                                                   \
		eng_port_writes(&(x), sizeof(x));            \
		__atomic_store_n(&(x), v, __ATOMIC_RELAXED); \
	})
#define smp_load_acquire(p)	__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define smp_store_release(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)
#define smp_mb()		__atomic_thread_fence(__ATOMIC_SEQ_CST)
#define smp_rmb()		__atomic_thread_fence(__ATOMIC_ACQUIRE)
#define smp_wmb()		__atomic_thread_fence(__ATOMIC_RELEASE)

/* 0 for an index that is out of range. Speculation does not matter here. */
static inline u64 array_index_nospec(u64 index, u64 size)
{
	return index & -(u64)(index < size);
}

/* A word that is read, or @bad if memory is bad. */
static inline u32 eng_load_be32(const u32 *from, u32 bad)
{
	u32 word = READ_ONCE(*from);

	return eng_port_is_bad(from, sizeof(*from)) ? bad : word;
}

/* These store a word, or return false if memory is bad. */
static inline bool eng_store8(u8 *to, u8 word)
{
	if (eng_port_is_bad(to, sizeof(word)))
		return false;
	WRITE_ONCE(*to, word);
	return true;
}

static inline bool eng_store16(u16 *to, u16 word)
{
	if (eng_port_is_bad(to, sizeof(word)))
		return false;
	WRITE_ONCE(*to, word);
	return true;
}

static inline bool eng_store32(u32 *to, u32 word)
{
	if (eng_port_is_bad(to, sizeof(word)))
		return false;
	WRITE_ONCE(*to, word);
	return true;
}

static inline bool eng_store64(u64 *to, u64 word)
{
	if (eng_port_is_bad(to, sizeof(word)))
		return false;
	WRITE_ONCE(*to, word);
	return true;
}

/* These return false if memory is bad, or leave in *@old what was at @at. */
static inline bool eng_cmpxchg64(u64 *at, u64 compare, u64 swap, u64 *old)
{
	if (eng_port_is_bad(at, sizeof(*at)))
		return false;
	*old = compare;
	__atomic_compare_exchange_n(at, old, swap, false, __ATOMIC_SEQ_CST,
				    __ATOMIC_SEQ_CST);
	return true;
}

static inline bool eng_fetch_add64(u64 *at, u64 value, u64 *old)
{
	if (eng_port_is_bad(at, sizeof(*at)))
		return false;
	*old = __atomic_fetch_add(at, value, __ATOMIC_SEQ_CST);
	return true;
}

/* Store @n words in any order; false if memory is bad. */
static inline bool eng_store_words(u64 *to, const u64 *from, u32 n)
{
	if (eng_port_is_bad(to, n * sizeof(*to)))
		return false;
	memcpy(to, from, n * sizeof(*to));
	return true;
}

#ifdef ENG_PORT_COUNT

typedef struct {
	u32 held;
} eng_lock_t;

#define eng_lock_init(lock) ((lock)->held = 0)

static inline void eng_lock(eng_lock_t *lock)
{
	while (__atomic_exchange_n(&lock->held, 1, __ATOMIC_ACQUIRE))
		;
}

static inline void eng_unlock(eng_lock_t *lock)
{
	__atomic_store_n(&lock->held, 0, __ATOMIC_RELEASE);
}

#else

/* A lock of a class of its own; world.c checks that their order holds. */
typedef struct {
	pthread_mutex_t mutex;
	const char *name;
	int class;
} eng_lock_t;

extern __thread unsigned int eng_port_held;
int eng_port_class(const char *name);
void eng_port_locked(const eng_lock_t *lock);
void eng_port_unlocked(const eng_lock_t *lock);

/* A test that switches threads sets this. It returns when the mutex is free. */
extern void (*eng_port_before_lock)(eng_lock_t *lock);

#define eng_lock_init(lock)                               \
	do {                                              \
		pthread_mutex_init(&(lock)->mutex, NULL); \
		(lock)->name = #lock;                     \
		(lock)->class = eng_port_class(#lock);    \
	} while (0)

static inline void eng_lock(eng_lock_t *lock)
{
	if (eng_port_before_lock)
		eng_port_before_lock(lock);
	eng_port_locked(lock);
	pthread_mutex_lock(&lock->mutex);
}

static inline void eng_unlock(eng_lock_t *lock)
{
	pthread_mutex_unlock(&lock->mutex);
	eng_port_unlocked(lock);
}

#endif

/* Memory that users change while others read it. */
#ifdef __SANITIZE_THREAD__
#define RACY __attribute__((no_sanitize("thread")))
#else
#define RACY
#endif

/* Byte by byte, since memcpy() is intercepted even in functions that are RACY.
 */
RACY static void __attribute__((unused))
eng_port_copy(volatile u8 *to, const volatile u8 *from, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		to[i] = from[i];
}

static inline size_t eng_copy(void *dst, const void *src, size_t n)
{
	eng_port_reads(src, n);
	if (eng_port_is_bad(src, n) || eng_port_is_bad(dst, n))
		return n;
#ifdef __SANITIZE_THREAD__
	eng_port_copy(dst, src, n);
#else
	/* A message may be from a place to the same place. */
	memmove(dst, src, n);
#endif
	__asm__ volatile("" : : : "memory");
	return 0;
}

/* The same numbers in each process. */
static inline u64 eng_random(void)
{
	return (u64)rand() << 40 ^ (u64)rand() << 20 ^ rand();
}

static inline void *eng_zalloc(size_t size)
{
	return calloc(1, size);
}

static inline void eng_free(void *ptr)
{
	free(ptr);
}

/* --- Lists --- */

struct list_head {
	struct list_head *next, *prev;
};

#define container_of(ptr, type, member) \
	((type *)((char *)(ptr) - offsetof(type, member)))
#define list_first_entry(head, type, member) \
	container_of((head)->next, type, member)
#define list_for_each_entry(pos, head, member)                           \
	for (pos = container_of((head)->next, __typeof__(*pos), member); \
	     &pos->member != (head);                                     \
	     pos = container_of(pos->member.next, __typeof__(*pos), member))

static inline void INIT_LIST_HEAD(struct list_head *list)
{
	list->next = list;
	list->prev = list;
}

static inline bool list_empty(const struct list_head *list)
{
	return list->next == list;
}

static inline void list_add_tail(struct list_head *entry,
				 struct list_head *list)
{
	entry->prev = list->prev;
	entry->next = list;
	list->prev->next = entry;
	list->prev = entry;
}

static inline void list_add(struct list_head *entry, struct list_head *after)
{
	list_add_tail(entry, after->next);
}

static inline void list_del(struct list_head *entry)
{
	entry->prev->next = entry->next;
	entry->next->prev = entry->prev;
}

static inline void list_move_tail(struct list_head *entry,
				  struct list_head *list)
{
	list_del(entry);
	list_add_tail(entry, list);
}

static inline void list_del_init(struct list_head *entry)
{
	list_del(entry);
	INIT_LIST_HEAD(entry);
}

#endif /* ENG_PORT_H */
