/* SPDX-License-Identifier: BSD-2-Clause */
/* Executes one piece of code in the victim, and returns its outcome. */
#ifndef ATTEMPT_H
#define ATTEMPT_H

#include "lab.h"
#include "outcome.h"

/* The handler's record of a fault. */
struct fault {
	word kind, address, error, ip, thread, index, flags, count;
};

struct outcome {
	unsigned int kind; /* OUT_... or a vector */
	long status;
	struct fault fault; /* valid if there was one */
};

extern struct domain victim, server;
extern uint64_t attempt_faults; /* of the victim, as the handler counted them */

void attempt_setup(void);
/* Copies code to the start of the victim's code, followed by the trailer. */
void attempt_code(const unsigned char *start, const unsigned char *end);
/* Executes this code, and checks all conditions that must hold for any code. */
struct outcome attempt(const char *name, const word words[6]);
/* Does the same, and expects one of the outcomes `allowed`. Returns true if it was one of them. */
bool attempt_check(const char *name, const word words[6], word allowed, struct outcome *outcome);
/* Reports an unexpected result. Each group may report only a few. */
void complain(const char *name, const struct outcome *outcome, const char *what);
/* Gives one verdict for everything since the last verdict. */
void group_end(const char *name);

#endif
