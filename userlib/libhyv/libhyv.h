/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * libhyv: what administrators see of hyv.ko, the host half of HyV, and the map
 * by which they let guests of different hosts reach each other.
 *
 * A context is a connection to the kernel. Any number of them may be used at
 * the same time, each by one thread at a time. The library has no other state.
 * Snapshots (struct hyv_vnic, struct hyv_hca, struct hyv_map_entry) belong to
 * the caller, outlive their context and may be read by several threads.
 *
 * All structures are opaque, so that a program goes on working with a newer
 * library. Functions that return int return a negative errno when they fail;
 * hyv_strerror() explains it. libhyv(7) is the manual.
 */
#ifndef LIBHYV_H
#define LIBHYV_H

#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HYV_API __attribute__((visibility("default")))

struct hyv_context;
struct hyv_vnic;
struct hyv_hca;
struct hyv_map_entry;

/* Values that this library does not know may come from a newer kernel. */
enum hyv_vnic_state {
	HYV_VNIC_ATTACHED, /* set up, guest driver not running */
	HYV_VNIC_RUNNING,  /* in use by the guest's driver */
	HYV_VNIC_HCA_GONE, /* its HCA has left the host */
};

enum hyv_hca_use {
	HYV_HCA_USABLE,
	HYV_HCA_TRUSTED_ONLY_DENIED, /* allow_trusted_only_hca is not set */
	HYV_HCA_UNSUPPORTED,	     /* HCAs of this driver are not supported */
};

enum hyv_counter {
	HYV_COUNTER_COMMANDS,	  /* requests of the guest executed */
	HYV_COUNTER_ERRORS,	  /* of these refused or failed */
	HYV_COUNTER_DOORBELLS,	  /* send doorbells rung */
	HYV_COUNTER_ARMS,	  /* CQs armed */
	HYV_COUNTER_KICKS,	  /* notifications by the guest */
	HYV_COUNTER_EVENTS,	  /* events delivered to the guest */
	HYV_COUNTER_EVENT_STALLS, /* no buffer for an event */
	HYV_COUNTER_INTERRUPTS,	  /* guest interrupts raised */
};

/* --- Context --- */

/*
 * Errors of hyv_open() and of every function that takes a context:
 *  -ENXIO      hyv.ko is not loaded
 *  -EPERM      no CAP_NET_ADMIN in the initial user namespace
 *  -EBADMSG    hyv.ko sent something that this library cannot understand
 *  -EAGAIN     what was asked for changed meanwhile; ask again
 *  -ENOMEM     out of memory
 * and others of socket(2), sendmsg(2) and recvmsg(2).
 */
HYV_API int hyv_open(struct hyv_context **ctx);
HYV_API void hyv_close(struct hyv_context *ctx);

/*
 * One line, without a full stop, about an error which the last call with this
 * context returned. It is the kernel's own text if it gave one. Valid until the
 * next call with the context. @ctx may be NULL after hyv_open() has failed.
 */
HYV_API const char *hyv_strerror(const struct hyv_context *ctx, int err);

/* --- vNICs --- */

/*
 * vNICs by ID in a NULL-terminated array, to be freed with
 * hyv_vnic_list_free(): those of the VMM with process ID @pid if it is not 0,
 * and of the HCA named @hca if it is not NULL. Returns their number.
 */
HYV_API int hyv_vnic_list(struct hyv_context *ctx, uint32_t pid,
			  const char *hca, struct hyv_vnic ***vnics);
HYV_API void hyv_vnic_list_free(struct hyv_vnic **vnics);

/* One vNIC, to be freed with hyv_vnic_free(). -ENOENT: no vNIC has this ID. */
HYV_API int hyv_vnic_get(struct hyv_context *ctx, uint32_t id,
			 struct hyv_vnic **vnic);
HYV_API void hyv_vnic_free(struct hyv_vnic *vnic);

/* Strings belong to the snapshot and are never NULL. */
HYV_API uint32_t hyv_vnic_id(const struct hyv_vnic *vnic);
HYV_API const char *hyv_vnic_name(const struct hyv_vnic *vnic);
HYV_API uint32_t hyv_vnic_pid(const struct hyv_vnic *vnic);
HYV_API const char *hyv_vnic_comm(const struct hyv_vnic *vnic);
HYV_API const char *hyv_vnic_hca(const struct hyv_vnic *vnic);
HYV_API uint32_t hyv_vnic_state(const struct hyv_vnic *vnic);
HYV_API const char *hyv_vnic_state_str(const struct hyv_vnic *vnic);

/* Bytes. */
HYV_API uint64_t hyv_vnic_pinned(const struct hyv_vnic *vnic);
HYV_API uint64_t hyv_vnic_pinned_max(const struct hyv_vnic *vnic);
HYV_API uint64_t hyv_vnic_queue_bytes(const struct hyv_vnic *vnic);
HYV_API uint64_t hyv_vnic_queue_bytes_max(const struct hyv_vnic *vnic);
HYV_API uint64_t hyv_vnic_window_used(const struct hyv_vnic *vnic);
HYV_API uint64_t hyv_vnic_window_size(const struct hyv_vnic *vnic);

/* Since the vNIC was attached; 0 if the kernel does not have this counter. */
HYV_API uint64_t hyv_vnic_counter(const struct hyv_vnic *vnic,
				  enum hyv_counter counter);
/* Lower-case identifier, or NULL after the last counter. */
HYV_API const char *hyv_counter_name(enum hyv_counter counter);

/* Types of objects by index: "context", "pd", "cq", "qp", "mr", ... */
HYV_API size_t hyv_vnic_nr_object_types(const struct hyv_vnic *vnic);
HYV_API const char *hyv_vnic_object_name(const struct hyv_vnic *vnic,
					 size_t index);
HYV_API uint32_t hyv_vnic_object_count(const struct hyv_vnic *vnic,
				       size_t index);
HYV_API uint32_t hyv_vnic_object_max(const struct hyv_vnic *vnic, size_t index);

/* --- HCAs --- */

/*
 * The host's HCAs in a NULL-terminated array, to be freed with
 * hyv_hca_list_free(). Returns their number.
 */
HYV_API int hyv_hca_list(struct hyv_context *ctx, struct hyv_hca ***hcas);
HYV_API void hyv_hca_list_free(struct hyv_hca **hcas);

HYV_API const char *hyv_hca_name(const struct hyv_hca *hca);
HYV_API uint32_t hyv_hca_driver_id(const struct hyv_hca *hca);
/* "rxe", "mlx5", ..., or "unknown" */
HYV_API const char *hyv_hca_driver(const struct hyv_hca *hca);
HYV_API uint32_t hyv_hca_use(const struct hyv_hca *hca);
HYV_API const char *hyv_hca_use_str(const struct hyv_hca *hca);
HYV_API uint32_t hyv_hca_nr_vnics(const struct hyv_hca *hca);

/* --- GIDs, the RDMA addresses of machines --- */

/* From an IPv4 or IPv6 address. -EINVAL: it is none. */
HYV_API int hyv_gid_parse(const char *text, struct in6_addr *gid);

/* Bytes that the longest GID takes as text, with its end. */
#define HYV_GID_TEXT INET6_ADDRSTRLEN

/* To an address, an IPv4 one if it stands for that. Returns @text. */
HYV_API const char *hyv_gid_str(const struct in6_addr *gid,
				char text[HYV_GID_TEXT]);

/* --- The map: who has which GID --- */

/*
 * All entries by GID in a NULL-terminated array, to be freed with
 * hyv_map_list_free(). Returns their number.
 */
HYV_API int hyv_map_list(struct hyv_context *ctx,
			 struct hyv_map_entry ***entries);
HYV_API void hyv_map_list_free(struct hyv_map_entry **entries);

/* One, to be freed with hyv_map_entry_free(). -ENOENT: it is not in the map. */
HYV_API int hyv_map_get(struct hyv_context *ctx, const struct in6_addr *gid,
			struct hyv_map_entry **entry);
HYV_API void hyv_map_entry_free(struct hyv_map_entry *entry);

HYV_API const struct in6_addr *
hyv_map_entry_gid(const struct hyv_map_entry *entry);
/* The host which it is reached by if the entry is static, else NULL. */
HYV_API const struct in6_addr *
hyv_map_entry_via(const struct hyv_map_entry *entry);
/* The vNIC of this host which has it, else 0, and its HCA, else "". */
HYV_API uint32_t hyv_map_entry_vnic(const struct hyv_map_entry *entry);
HYV_API const char *hyv_map_entry_hca(const struct hyv_map_entry *entry);

/*
 * They add, replace or add, and delete @count static entries: all of them, or
 * after an error none. @vias[i] is the GID of the host which @gids[i] is
 * reached by. If @bad is not NULL it gets the index of the entry which an error
 * is about, or @count.
 *
 * -EEXIST: add: the map has it; replace: a vNIC has it; or it is given twice.
 *
 * -ENOENT: del: no static entry has it, or it is given twice.
 *
 * -EINVAL: no address of one machine.
 *
 * -ENOSPC: too many.
 */
HYV_API int hyv_map_add(struct hyv_context *ctx, const struct in6_addr *gids,
			const struct in6_addr *vias, size_t count, size_t *bad);
HYV_API int hyv_map_replace(struct hyv_context *ctx,
			    const struct in6_addr *gids,
			    const struct in6_addr *vias, size_t count,
			    size_t *bad);
HYV_API int hyv_map_del(struct hyv_context *ctx, const struct in6_addr *gids,
			size_t count, size_t *bad);

#ifdef __cplusplus
}
#endif

#endif /* LIBHYV_H */
