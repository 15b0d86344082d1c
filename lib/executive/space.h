/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Spaces: address spaces that a program creates and switches between by its executive. The program executes in one of
 * its spaces at a time. The others are held. The first space is the process that Linux made. Each other space is a
 * process that Linux forks from its creator. So it has a copy of the creator's memory, files and signal handlers, and
 * its changes of memory are not visible to others. To Linux the spaces are ordinary processes, which end together with
 * their creators.
 *
 * A program makes one system call for all of this, with a number that the executive chooses. Its first argument is one
 * of enum space_operation. Errors are Linux's, as negative values.
 *
 *   made ──► held ──switch──► runs ──► ended ──destroy──► free
 *              ▲────switch──────┘
 *
 * A switch costs a switch between two threads of Linux and two events. A held space occupies a handler thread.
 */
#ifndef EXECUTIVE_SPACE_H
#define EXECUTIVE_SPACE_H

#include <executive/executive.h>

#define SPACES_MAX 512

enum space_operation {
	/*
	 * SPACE_CREATE(entry, stack, argument): makes a space, which is held. When it is first switched to, it starts
	 * at `entry`, with rsp = stack, rdi = argument, rsi = number of the space that has switched, and rdx = its
	 * value. Returns its number. EAGAIN: all spaces are in use, Linux cannot make a process, or the new process was
	 * killed before it started. EINVAL: an address outside user level.
	 */
	SPACE_CREATE = 0,
	/*
	 * SPACE_SWITCH(space, value): the caller is held, and the other space runs. Returns when another space switches
	 * to the caller: the number of that space, and its value in rdx. ECHILD: a space that the caller has created
	 * has ended while the caller was held; rdx is its exit status as of wait(2). ENOENT: the program has no such
	 * space. EBUSY: it is not held. A signal handler of a held space runs while it is held.
	 */
	SPACE_SWITCH = 1,
	/*
	 * SPACE_DESTROY(space): ends a space that the caller has created, if it has not ended yet. Its process is gone
	 * when this returns 0. ENOENT: the caller has created no such space. EBUSY: it is not held.
	 */
	SPACE_DESTROY = 2,
	/*
	 * The first call of a new space. Other callers get SIGKILL: new spaces of an executive that has crashed, too.
	 */
	SPACE_START = 3,
};

/*
 * Prepares for at most `count` spaces, those of all programs together, within SPACES_MAX. `count` should be less than
 * the number of handler threads. `number` is the number of the program's call. Context: before executive_serve(), which
 * must select RESULT, BEGIN and END.
 */
void space_init(word number, unsigned int count);

/*
 * Handles the program's call, and RESULT of each guest. Returns the answer. Cost: linear in the spaces for CREATE, else
 * constant. Context: executive_event().
 */
struct executive_answer space_call(unsigned int id, word operation, word w1, word w2, word w3);
struct executive_answer space_result(unsigned int id, word result, bool interrupted);
/*
 * Handle the events BEGIN and END. `maker` and `status` are word 2. Cost: linear in the spaces. Context:
 * executive_event().
 */
void space_begin(unsigned int id, word maker);
void space_end(unsigned int id, word status);

#endif
