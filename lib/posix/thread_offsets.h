/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the entry finds things in struct posix_thread, which GS points to. Also for assembly. */
#ifndef POSIX_THREAD_OFFSETS_H
#define POSIX_THREAD_OFFSETS_H

#define POSIX_THREAD_SP 0
#define POSIX_THREAD_STACK 8
#define POSIX_THREAD_VECTORS 64

#endif
