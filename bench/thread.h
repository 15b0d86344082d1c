/* SPDX-License-Identifier: GPL-2.0 */
/* Starts real-time threads. */
#ifndef BENCH_THREAD_H
#define BENCH_THREAD_H

#include <pthread.h>

/* Starts a thread with SCHED_FIFO and a priority from 1 to 99. Exits with a message if that fails. */
pthread_t thread_start_fifo(void *(*function)(void *), int priority);

#endif
