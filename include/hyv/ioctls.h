/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * HyV: the table of /dev/hyv's ioctls, as data, for hyv.ko and its tests.
 */
#ifndef HYV_IOCTLS_H
#define HYV_IOCTLS_H

/* Only the owner of an attached vNIC may call it. */
#define HYV_IOCTL_OWNER		(1 << 0)
/* Runs alone among the ioctls with this flag. */
#define HYV_IOCTL_SETUP		(1 << 1)

/*
 * X(NAME, name, min_size, flags)
 *
 * NAME, name	HYV_NAME is the ioctl; its argument is struct hyv_name
 * min_size	bytes of the argument in the ioctl's first version
 * flags	HYV_IOCTL_*
 */
#define HYV_FOR_EACH_IOCTL(X) \
	X(GET_INFO, get_info, 40, 0) \
	X(ATTACH, attach, 96, HYV_IOCTL_SETUP) \
	X(SET_LIMITS, set_limits, 72, HYV_IOCTL_OWNER | HYV_IOCTL_SETUP) \
	X(SET_WINDOW, set_window, 16, HYV_IOCTL_OWNER | HYV_IOCTL_SETUP) \
	X(SET_MEM, set_mem, 24, HYV_IOCTL_OWNER) \
	X(SET_DOORBELL, set_doorbell, 16, HYV_IOCTL_OWNER | HYV_IOCTL_SETUP) \
	X(SET_EVENT_QUEUE, set_event_queue, 56, \
	  HYV_IOCTL_OWNER | HYV_IOCTL_SETUP) \
	X(SET_FEATURES, set_features, 16, HYV_IOCTL_OWNER | HYV_IOCTL_SETUP) \
	X(GET_CONFIG, get_config, 32, HYV_IOCTL_OWNER) \
	X(EXEC, exec, 48, HYV_IOCTL_OWNER) \
	X(RESET, reset, 8, HYV_IOCTL_OWNER | HYV_IOCTL_SETUP) \
	X(SET_ADDRESSING, set_addressing, 24, \
	  HYV_IOCTL_OWNER | HYV_IOCTL_SETUP) \
	X(SET_NOTIFY, set_notify, 16, HYV_IOCTL_OWNER | HYV_IOCTL_SETUP)

/*
 * X(NAME, name, member): reserved members of arguments, which must be zero. Their
 * flags, which must be zero, too, are not listed.
 */
#define HYV_FOR_EACH_IOCTL_RESERVED(X) \
	X(ATTACH, attach, reserved) \
	X(SET_LIMITS, set_limits, reserved) \
	X(SET_LIMITS, set_limits, reserved2) \
	X(SET_MEM, set_mem, reserved) \
	X(SET_EVENT_QUEUE, set_event_queue, reserved) \
	X(GET_CONFIG, get_config, reserved)

#endif /* HYV_IOCTLS_H */
