/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Client library: the calls of /dev/limpet that any process with CAP_SYS_ADMIN may make.
 * Every function returns 0 or more, or a negative errno. The functions do not print.
 */
#ifndef CLIENT_DEVICE_H
#define CLIENT_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

#include <limpet/device.h>

/* Opens the device. Returns a descriptor that exec closes; -ENOENT: not attached. */
int limpet_open(void);
/*
 * Selects the loaded system with this id, or the only one for LIMPET_SYSTEM_ANY. The calls below concern this system.
 * -ENODEV: no such system is loaded. -EBUSY: the descriptor has loaded a system.
 */
int limpet_select(int fd, uint32_t id);
/*
 * Describes the selected system: its state, its CPUs and its uptime. -EPROTO: the module has another version.
 * -ENOTUNIQ: several systems are loaded, and no system is selected.
 */
int limpet_info(int fd, struct limpet_ioc_info *info);
/*
 * The counters of a system, and the number of records of each kind. Components and threads are in order of their CPUs,
 * and the threads of a CPU in order of their numbers. `jobs[i]` is the account of `thread[i]`. It is all 0 unless the thread is periodic.
 */
struct limpet_stat {
	uint32_t cpus, components, threads;
	struct limpet_stat_cpu *cpu;
	struct limpet_stat_component *component;
	struct limpet_stat_thread *thread;
	struct limpet_jobs *jobs;
};

/* Reads the counters. Free them by limpet_stat_free(). -ENODEV: no system is loaded. */
int limpet_stat(int fd, struct limpet_stat *stat);
/*
 * Reads the account of a thread's jobs, which is all 0 if the CPU has no such thread. `clear` resets the maxima for all
 * readers when the thread's current job ends. Returns 0, -EINVAL if there is no such CPU, or -ENODEV if no system is
 * loaded.
 */
int limpet_jobs(int fd, uint32_t cpu, uint32_t thread, bool clear, struct limpet_jobs *jobs);
/*
 * Frees the memory of counters. Counters of a failed limpet_stat(), or all zeros, have no memory.
 */
void limpet_stat_free(struct limpet_stat *stat);
/*
 * Copies the records and strings of the loaded image, without the contents of its components. Free the copy by free().
 * The module has checked the whole image when it was loaded. -ENODEV: no system is loaded. -EPROTO: the image has
 * another version.
 */
int limpet_image_records(int fd, unsigned char **image, size_t *size);
/* Stops the system, and waits until its host threads have left. -EBUSY: no system runs. */
int limpet_stop(int fd);

/*
 * Makes the kernels record these kinds of events (bits of enum limpet_trace_kind) while `fd` is open. 0 means none.
 * -EBUSY: another descriptor traces. -ENOENT: the system has no trace buffer. -ENODEV: no system runs.
 */
int limpet_trace(int fd, unsigned int kinds);
/* Reads events of a CPU into the buffer of `read`, see <limpet/device.h>. Reads at most the requested number. */
int limpet_trace_read(int fd, struct limpet_ioc_trace *read);

/* Return the words for a state, and for the reason why a system ended. Never NULL. */
const char *limpet_state_words(unsigned int state);
const char *limpet_end_words(unsigned int reason);
/* Returns the words for the death of a Linux, such as "it panicked". Never NULL. */
const char *limpet_death_words(unsigned int death);

#endif
