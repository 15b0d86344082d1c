/* SPDX-License-Identifier: BSD-2-Clause */
/* rtl_fifo.h of RTLinux for Linux programs, which use /dev/rtf0 to /dev/rtf63 as files: docs/reference/fifo.md. */
#ifndef RTLINUX_RTL_FIFO_H
#define RTLINUX_RTL_FIFO_H

#include "rtl_conf.h"

#define RTF_NO 64
#define RTF_MAX_FIFO RTF_NO
#define RTF_SETSIZE 1

#endif
