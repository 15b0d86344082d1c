/* SPDX-License-Identifier: BSD-2-Clause */
/* rtl_conf.h of RTLinux for Linux programs. Limpet has no configuration that a program depends on. */
#ifndef RTLINUX_RTL_CONF_H
#define RTLINUX_RTL_CONF_H

#define RTLINUX_VERSION(a, b, c) (((a) << 16) + ((b) << 8) + (c))
#define RTLINUX_VERSION_CODE RTLINUX_VERSION(3, 2, 0)
#define RTLINUX_V3 1

#endif
