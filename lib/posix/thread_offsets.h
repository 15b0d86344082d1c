/* SPDX-License-Identifier: BSD-2-Clause */
/* Offsets in struct posix_thread, to which GS points. Assembly includes this header, too. */
#ifndef POSIX_THREAD_OFFSETS_H
#define POSIX_THREAD_OFFSETS_H

#define POSIX_THREAD_SP 0
#define POSIX_THREAD_STACK 8
#define POSIX_THREAD_INTERRUPTED 16
#define POSIX_THREAD_LEAVING 24
#define POSIX_THREAD_RCX 32
#define POSIX_THREAD_R11 40
#define POSIX_THREAD_GO_SP 48
#define POSIX_THREAD_FAULT_IP 56
#define POSIX_THREAD_VECTORS 64

#endif
