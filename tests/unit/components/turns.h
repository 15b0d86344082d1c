/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Simulates guests that an executive schedules on one processor. A tick is a nanosecond, and only sim_compute()
 * takes time. Linux runs any ready guest for a random time. It also switches to another guest at random memory
 * accesses of the executive. A part of the kernel is included: GUEST_WAIT, _WAKE, _BREAK and _INFO.
 */
#ifndef TURNS_H
#define TURNS_H

#include "guest_fake.h"

#define SIM_GUESTS 24
#define SIM_MS 1000000ul

/* The program of a guest. It may call the functions below. */
typedef void sim_program(unsigned int id);

/*
 * Forgets all guests. If `chance` is not 0, one of that many memory accesses is followed by a
 * switch.
 */
void sim_reset(uint32_t seed, unsigned int chance);
/* Starts a guest at the next sim_run(), with the program of that path. Returns its id. */
unsigned int sim_begin(const char *path, sim_program *program);
/* Runs guests until that time. Returns false if all guests ended earlier. */
bool sim_run(uint64_t until);

/* The functions below are for the running guest. */
void sim_compute(uint64_t ticks);
/* Sleeps in Linux. */
void sim_sleep(uint64_t ticks);
/* Makes a call. If the executive passes it, the result is that Linux does not know it. */
long sim_call(word number, word w1, word w2, word w3);

/* Sends a signal, which ends the guest's wait after 50 ms. */
void sim_signal(unsigned int id);
/* Sends SIGKILL, which ends the guest's wait immediately. Its event then ends without the guest. */
void sim_kill(unsigned int id);

/* Returns the ticks that the guest has computed. */
uint64_t sim_used(unsigned int id);
/* The maximum time for which Linux runs a guest. sim_reset(): 4 ms. */
extern uint64_t sim_slice;
/* The time in which no guest ran. */
extern uint64_t sim_idle;
/* The number of switches between the programs of different guests. */
extern unsigned int sim_switches;

#endif
