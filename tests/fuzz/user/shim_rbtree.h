/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The interface of <linux/rbtree.h> on a search tree that is not balanced: the
 * fuzzers' trees are small.
 */
#ifndef FUZZ_SHIM_RBTREE_H
#define FUZZ_SHIM_RBTREE_H

#include <stdbool.h>
#include <stddef.h>

struct rb_node {
	struct rb_node *rb_left, *rb_right, *up;
};

struct rb_root {
	struct rb_node *rb_node;
};

#define RB_ROOT			    ((struct rb_root){NULL})
#define rb_entry(ptr, type, member) container_of(ptr, type, member)
#define rb_entry_safe(ptr, type, member)                    \
	({                                                  \
		__typeof__(ptr) ptr_ = (ptr);               \
		ptr_ ? rb_entry(ptr_, type, member) : NULL; \
	})

/* A node that is in no tree is above itself. */
#define RB_CLEAR_NODE(node) ((node)->up = (node))
#define RB_EMPTY_NODE(node) ((node)->up == (node))

static inline void rb_hang(struct rb_node *node, struct rb_node *up,
			   struct rb_node **at)
{
	node->up = up;
	node->rb_left = NULL;
	node->rb_right = NULL;
	*at = node;
}

#define rb_link_node(node, up, at) rb_hang(node, up, at)

static inline void rb_insert_color(struct rb_node *node, struct rb_root *root)
{
	(void)node;
	(void)root;
}

static inline struct rb_node *
rb_find(const void *key, const struct rb_root *root,
	int (*cmp)(const void *, const struct rb_node *))
{
	struct rb_node *node = root->rb_node;

	while (node) {
		int c = cmp(key, node);

		if (!c)
			return node;
		node = c < 0 ? node->rb_left : node->rb_right;
	}
	return NULL;
}

static inline struct rb_node *
rb_find_add(struct rb_node *node, struct rb_root *root,
	    int (*cmp)(struct rb_node *, const struct rb_node *))
{
	struct rb_node **at = &root->rb_node, *up = NULL;

	while (*at) {
		int c = cmp(node, *at);

		if (!c)
			return *at;
		up = *at;
		at = c < 0 ? &up->rb_left : &up->rb_right;
	}
	rb_hang(node, up, at);
	return NULL;
}

static inline void rb_add(struct rb_node *node, struct rb_root *root,
			  bool (*less)(struct rb_node *,
				       const struct rb_node *))
{
	struct rb_node **at = &root->rb_node, *up = NULL;

	while (*at) {
		up = *at;
		at = less(node, up) ? &up->rb_left : &up->rb_right;
	}
	rb_hang(node, up, at);
}

/* Put @by, which may be NULL, in the place of @node. */
static inline void rb_replace(struct rb_root *root, struct rb_node *node,
			      struct rb_node *by)
{
	if (!node->up)
		root->rb_node = by;
	else if (node->up->rb_left == node)
		node->up->rb_left = by;
	else
		node->up->rb_right = by;
	if (by)
		by->up = node->up;
}

static inline struct rb_node *rb_leftmost(struct rb_node *node)
{
	while (node && node->rb_left)
		node = node->rb_left;
	return node;
}

static inline void rb_erase(struct rb_node *node, struct rb_root *root)
{
	struct rb_node *next;

	if (!node->rb_left) {
		rb_replace(root, node, node->rb_right);
		return;
	}
	if (!node->rb_right) {
		rb_replace(root, node, node->rb_left);
		return;
	}
	next = rb_leftmost(node->rb_right);
	if (next->up != node) {
		rb_replace(root, next, next->rb_right);
		next->rb_right = node->rb_right;
		next->rb_right->up = next;
	}
	rb_replace(root, node, next);
	next->rb_left = node->rb_left;
	next->rb_left->up = next;
}

static inline struct rb_node *rb_first(const struct rb_root *root)
{
	return rb_leftmost(root->rb_node);
}

static inline struct rb_node *rb_next(const struct rb_node *node)
{
	if (node->rb_right)
		return rb_leftmost(node->rb_right);
	while (node->up && node->up->rb_right == node)
		node = node->up;
	return node->up;
}

static inline struct rb_node *rb_deepest(struct rb_node *node)
{
	while (node && (node->rb_left || node->rb_right))
		node = node->rb_left ? node->rb_left : node->rb_right;
	return node;
}

static inline struct rb_node *rb_next_postorder(struct rb_node *node)
{
	struct rb_node *up = node->up;

	if (up && up->rb_left == node && up->rb_right)
		return rb_deepest(up->rb_right);
	return up;
}

#define rbtree_postorder_for_each_entry_safe(pos, n, root, field)      \
	for (pos = rb_entry_safe(rb_deepest((root)->rb_node),          \
				 __typeof__(*pos), field);             \
	     pos && (n = rb_entry_safe(rb_next_postorder(&pos->field), \
				       __typeof__(*pos), field),       \
		    true);                                             \
	     pos = n)

#endif /* FUZZ_SHIM_RBTREE_H */
