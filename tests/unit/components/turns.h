/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guests that an executive schedules, on one processor, in time that the test counts. A tick is a nanosecond, and only
 * sim_compute() takes time. Linux runs any guest that can run, for a random while; and at random it
 * switches to another one at any memory access of the executive. Includes a part of the kernel: GUEST_WAIT, _WAKE,
 * _BREAK and _INFO.
 */
#ifndef TURNS_H
#define TURNS_H

#include "guest_fake.h"

#define SIM_GUESTS 24
#define SIM_MS 1000000ul

/* The program of a guest. It may use the functions below. */
typedef void sim_program(unsigned int id);

/*
 * Forgets all guests. If `chance` is not 0, one of that many memory accesses is followed by a
 * switch.
 */
void sim_reset(uint32_t seed, unsigned int chance);
/* Starts a guest at the next sim_run(), with the program of that path. Returns its id. */
unsigned int sim_begin(const char *path, sim_program *program);
/* Runs guests until that time. Returns false if all have ended before. */
bool sim_run(uint64_t until);

/* The functions below are for the running guest. */
void sim_compute(uint64_t ticks);
/* Sleeps in Linux. */
void sim_sleep(uint64_t ticks);
/* Makes a call. If the executive passes it, the result is that Linux does not know it. */
long sim_call(word number, word w1, word w2, word w3);

/* Sends a signal: the guest's wait ends after 50 ms. */
void sim_signal(unsigned int id);
/* Sends SIGKILL: its wait ends immediately, and its event ends without it. */
void sim_kill(unsigned int id);

/* Returns the ticks that the guest has computed. */
uint64_t sim_used(unsigned int id);
/* The maximum time for which Linux runs a guest. sim_reset(): 4 ms. */
extern uint64_t sim_slice;
/* Returns the time in which no guest ran. */
extern uint64_t sim_idle;
/* Returns how often the processor switched from the program of one guest to that of another. */
extern unsigned int sim_switches;

#endif
