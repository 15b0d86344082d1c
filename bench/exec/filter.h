/* SPDX-License-Identifier: GPL-2.0 */
/* A seccomp filter for getppid(). */
#ifndef BENCH_EXEC_FILTER_H
#define BENCH_EXEC_FILTER_H

#include <linux/seccomp.h>

/*
 * Installs a filter with `action` for getppid() that allows all other calls.
 * Returns the result of seccomp(): with SECCOMP_FILTER_FLAG_NEW_LISTENER the listener. Exits with a message on errors.
 */
int filter_install(unsigned int action, unsigned int flags);

#endif
