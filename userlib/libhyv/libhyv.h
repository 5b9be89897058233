/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * libhyv: query and configure hyv.ko, the host half of HyV. See libhyv(7).
 *
 * A context is a connection to the kernel. Several contexts may be used at the
 * same time, each by one thread at a time. Snapshots (struct hyv_vnic, struct
 * hyv_hca, struct hyv_map_entry) belong to the caller, do not change, may be
 * read by several threads and outlive their context.
 *
 * All structures are opaque, so that programs keep working with newer versions
 * of the library.
 *
 * Functions that return int return a negative errno on error, and then do not
 * modify their output parameters except @bad. Functions with a context fail
 * with:
 *
 *  -ENXIO    hyv.ko is not loaded
 *  -EPERM    the caller lacks CAP_NET_ADMIN in the initial user namespace
 *  -EBADMSG  hyv.ko sent a malformed message
 *  -EAGAIN   the data changed during the query; try again
 *  -EINVAL   hyv.ko rejected the request, for example, for too long a name
 *  -ENOMEM   out of memory
 *  -EIO      another error of the socket
 *
 * The context stays usable after any error. hyv_strerror() describes errors.
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

/* A newer kernel may report values that are not listed here. */
enum hyv_vnic_state {
	HYV_VNIC_ATTACHED, /* set up by the VMM, guest driver not running */
	HYV_VNIC_RUNNING,  /* guest driver running */
	HYV_VNIC_HCA_GONE, /* HCA removed from the host */
};

/* A newer kernel may report values that are not listed here. */
enum hyv_hca_use {
	HYV_HCA_USABLE,		     /* vNICs can be attached */
	HYV_HCA_TRUSTED_ONLY_DENIED, /* needs allow_trusted_only_hca */
	HYV_HCA_UNSUPPORTED,	     /* no support for this driver */
};

enum hyv_counter {
	HYV_COUNTER_COMMANDS,	  /* guest requests executed */
	HYV_COUNTER_ERRORS,	  /* guest requests that failed */
	HYV_COUNTER_DOORBELLS,	  /* send doorbells rung */
	HYV_COUNTER_ARMS,	  /* CQs armed */
	HYV_COUNTER_KICKS,	  /* doorbell kicks by the guest */
	HYV_COUNTER_EVENTS,	  /* events delivered to the guest */
	HYV_COUNTER_EVENT_STALLS, /* events that waited for a guest buffer */
	HYV_COUNTER_INTERRUPTS,	  /* interrupts raised in the guest */
};

/* Limits on what a vNIC uses of its host. The first three are in bytes. */
enum hyv_quota {
	HYV_QUOTA_PINNED,      /* guest memory that is pinned */
	HYV_QUOTA_QUEUE_BYTES, /* host memory in queues, at most */
	HYV_QUOTA_MR_BYTES,    /* host memory that describes MRs and queues */
	HYV_QUOTA_STITCH_VMAS, /* mappings in the VMM to register memory */
	HYV_QUOTA_MCAST,       /* memberships in multicast groups */
	HYV_QUOTA_MCAST_ADDRS, /* addresses of groups left on the network device
				*/
	HYV_QUOTA_VMM_MRS, /* MRs and pinned queues of all vNICs of the VMM */
	HYV_QUOTA_USER_VNICS, /* vNICs of the user who has attached this one */
	HYV_QUOTA_DOORBELL_PAGES, /* doorbell pages of contexts */
};

/* --- Context --- */

/*
 * hyv_open() - connect to hyv.ko
 *
 * Needs no privilege. Close the context with hyv_close().
 */
HYV_API int hyv_open(struct hyv_context **ctx);

/* hyv_close() - free a context; @ctx may be NULL */
HYV_API void hyv_close(struct hyv_context *ctx);

/*
 * hyv_strerror() - describe an error in one line, without a full stop
 * @ctx: the context that returned it, or NULL if there is none
 * @err: negative errno
 *
 * Returns the kernel's own text if @err is the result of the last call with
 * @ctx and the kernel gave one, and a general text otherwise. The text is valid
 * until the next call with @ctx. Never NULL.
 */
HYV_API const char *hyv_strerror(const struct hyv_context *ctx, int err);

/* --- vNICs --- */

/*
 * hyv_vnic_list() - get snapshots of vNICs, sorted by ID
 * @pid: only vNICs of the VMM with this process ID, 0 for all
 * @hca: only vNICs of the HCA with this name, NULL for all
 * @vnics: array that ends with NULL; free it with hyv_vnic_list_free()
 *
 * A vNIC that is attached or detached during the call may or may not be
 * included; every other one is included exactly once. Returns the number of
 * vNICs.
 */
HYV_API int hyv_vnic_list(struct hyv_context *ctx, uint32_t pid,
			  const char *hca, struct hyv_vnic ***vnics);

/* hyv_vnic_list_free() - free a list; @vnics may be NULL */
HYV_API void hyv_vnic_list_free(struct hyv_vnic **vnics);

/*
 * hyv_vnic_get() - get a snapshot of one vNIC
 * @vnic: free it with hyv_vnic_free()
 *
 * Returns 0, -ENOENT if no vNIC has this ID, or another negative errno.
 */
HYV_API int hyv_vnic_get(struct hyv_context *ctx, uint32_t id,
			 struct hyv_vnic **vnic);

/* hyv_vnic_free() - free a snapshot; @vnic may be NULL */
HYV_API void hyv_vnic_free(struct hyv_vnic *vnic);

/*
 * Attributes of a vNIC. Strings belong to the snapshot and are never NULL.
 * Attributes that the kernel did not report are 0 or "".
 */

/* Unique while hyv.ko is loaded; reused after all others only. */
HYV_API uint32_t hyv_vnic_id(const struct hyv_vnic *vnic);
/* Chosen by the VMM; may be empty or contain any bytes. */
HYV_API const char *hyv_vnic_name(const struct hyv_vnic *vnic);
/* Process ID of the VMM in the caller's PID namespace; 0 if it has none. */
HYV_API uint32_t hyv_vnic_pid(const struct hyv_vnic *vnic);
/* Command name of the VMM when it attached the vNIC; may contain any bytes. */
HYV_API const char *hyv_vnic_comm(const struct hyv_vnic *vnic);
/* Name of the HCA. */
HYV_API const char *hyv_vnic_hca(const struct hyv_vnic *vnic);
/* enum hyv_vnic_state, or a value of a newer kernel. */
HYV_API uint32_t hyv_vnic_state(const struct hyv_vnic *vnic);
/* "attached", "running", "hca-gone" or "unknown". */
HYV_API const char *hyv_vnic_state_str(const struct hyv_vnic *vnic);

/* Use of a quota, and its limit; 0 for a @quota the kernel lacks. */
HYV_API uint64_t hyv_vnic_quota_used(const struct hyv_vnic *vnic,
				     enum hyv_quota quota);
HYV_API uint64_t hyv_vnic_quota_max(const struct hyv_vnic *vnic,
				    enum hyv_quota quota);
/* Lower-case identifier; NULL after the last quota. */
HYV_API const char *hyv_quota_name(enum hyv_quota quota);
/* Part of the window in use, and its size. In bytes. */
HYV_API uint64_t hyv_vnic_window_used(const struct hyv_vnic *vnic);
HYV_API uint64_t hyv_vnic_window_size(const struct hyv_vnic *vnic);
/* Objects that the HCA's driver failed to destroy since the vNIC was attached.
 */
HYV_API uint32_t hyv_vnic_nr_leaked(const struct hyv_vnic *vnic);

/* Count since the vNIC was attached; 0 for a @counter the kernel lacks. */
HYV_API uint64_t hyv_vnic_counter(const struct hyv_vnic *vnic,
				  enum hyv_counter counter);
/* Lower-case identifier; NULL after the last counter. */
HYV_API const char *hyv_counter_name(enum hyv_counter counter);

/*
 * RDMA objects of the guest by type: "context", "pd", "cq", "qp", "mr", ...
 * @index is less than hyv_vnic_nr_object_types(); for others, the name is ""
 * and the numbers are 0. The maximum is the limit set by the VMM.
 */
HYV_API size_t hyv_vnic_nr_object_types(const struct hyv_vnic *vnic);
HYV_API const char *hyv_vnic_object_name(const struct hyv_vnic *vnic,
					 size_t index);
HYV_API uint32_t hyv_vnic_object_count(const struct hyv_vnic *vnic,
				       size_t index);
HYV_API uint32_t hyv_vnic_object_max(const struct hyv_vnic *vnic, size_t index);

/* --- HCAs --- */

/*
 * hyv_hca_list() - get snapshots of the host's HCAs
 * @hcas: array that ends with NULL; free it with hyv_hca_list_free()
 *
 * Returns the number of HCAs.
 */
HYV_API int hyv_hca_list(struct hyv_context *ctx, struct hyv_hca ***hcas);

/* hyv_hca_list_free() - free a list; @hcas may be NULL */
HYV_API void hyv_hca_list_free(struct hyv_hca **hcas);

/* Name as rdma(8) shows it; never NULL. */
HYV_API const char *hyv_hca_name(const struct hyv_hca *hca);
/* enum rdma_driver_id of <rdma/ib_user_ioctl_verbs.h>. */
HYV_API uint32_t hyv_hca_driver_id(const struct hyv_hca *hca);
/* "rxe", "mlx5", ..., or "unknown". */
HYV_API const char *hyv_hca_driver(const struct hyv_hca *hca);
/* enum hyv_hca_use, or a value of a newer kernel. */
HYV_API uint32_t hyv_hca_use(const struct hyv_hca *hca);
/* "usable", "trusted-only-denied", "unsupported" or "unknown". */
HYV_API const char *hyv_hca_use_str(const struct hyv_hca *hca);
/* Number of vNICs attached. */
HYV_API uint32_t hyv_hca_nr_vnics(const struct hyv_hca *hca);
/*
 * Objects that the driver failed to destroy. They stay until the host restarts,
 * and count even if their vNIC has ended.
 */
HYV_API uint32_t hyv_hca_nr_leaked(const struct hyv_hca *hca);

/* --- GIDs: RDMA addresses, 16 bytes in network byte order --- */

/*
 * hyv_gid_parse() - convert an IPv4 or IPv6 address to a GID
 *
 * An IPv4 address becomes the IPv4-mapped GID (::ffff:a.b.c.d). Returns 0, or
 * -EINVAL if @text is not an address.
 */
HYV_API int hyv_gid_parse(const char *text, struct in6_addr *gid);

/* Size of a buffer for the longest GID as text, including the NUL. */
#define HYV_GID_TEXT INET6_ADDRSTRLEN

/*
 * hyv_gid_str() - convert a GID to an IPv6 address, or IPv4 if it is mapped
 *
 * Returns @text.
 */
HYV_API const char *hyv_gid_str(const struct in6_addr *gid,
				char text[HYV_GID_TEXT]);

/* --- GID map: owners of the GIDs of guests in guest addressing mode --- */

/*
 * hyv_map_list() - get snapshots of all entries, sorted by GID
 * @entries: array that ends with NULL; free it with hyv_map_list_free()
 *
 * An entry that is added or deleted during the call may or may not be included;
 * every other one is included exactly once. Returns the number of entries.
 */
HYV_API int hyv_map_list(struct hyv_context *ctx,
			 struct hyv_map_entry ***entries);

/* hyv_map_list_free() - free a list; @entries may be NULL */
HYV_API void hyv_map_list_free(struct hyv_map_entry **entries);

/*
 * hyv_map_get() - get a snapshot of one entry
 * @entry: free it with hyv_map_entry_free()
 *
 * Returns 0, -ENOENT if the GID is not in the map, or another negative errno.
 */
HYV_API int hyv_map_get(struct hyv_context *ctx, const struct in6_addr *gid,
			struct hyv_map_entry **entry);

/* hyv_map_entry_free() - free a snapshot; @entry may be NULL */
HYV_API void hyv_map_entry_free(struct hyv_map_entry *entry);

/* Attributes of an entry; pointers are valid as long as the snapshot. */
HYV_API const struct in6_addr *
hyv_map_entry_gid(const struct hyv_map_entry *entry);
/* Via GID of a static entry; NULL for other entries. */
HYV_API const struct in6_addr *
hyv_map_entry_via(const struct hyv_map_entry *entry);
/* ID of the vNIC that owns the GID; 0 for static entries. */
HYV_API uint32_t hyv_map_entry_vnic(const struct hyv_map_entry *entry);
/* HCA of that vNIC; "" for static entries, or if the HCA was removed. */
HYV_API const char *hyv_map_entry_hca(const struct hyv_map_entry *entry);

/*
 * hyv_map_add() - add static entries
 * hyv_map_replace() - add static entries, or overwrite those that exist
 * hyv_map_del() - delete static entries
 * @gids: @count GIDs of guests of other hosts
 * @vias: @count via GIDs: @vias[i] is a GID of the HCA of @gids[i]'s host
 * @count: number of entries; 0 does nothing
 * @bad: NULL, or gets the index of the entry that caused the error, and @count
 *       if no entry did
 *
 * Each call is atomic: on error the map is unchanged. Errors in addition
 * to those above:
 *
 *  -EEXIST  hyv_map_add(): the GID is in the map; hyv_map_replace(): a vNIC
 *           owns the GID; both: duplicate GID in @gids
 *  -EINVAL  a GID is not a usable unicast address
 *  -ENOENT  hyv_map_del(): no static entry has the GID, or duplicate GID
 *  -ENOSPC  too many static entries
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
