/* SPDX-License-Identifier: GPL-2.0-only */
/* Before 6.6 a dump had struct genl_dumpit_info, which has attrs as well. */
#ifndef HYV_COMPAT_GENETLINK_H
#define HYV_COMPAT_GENETLINK_H

#define genl_info_dump(cb) genl_dumpit_info(cb)

#endif /* HYV_COMPAT_GENETLINK_H */
