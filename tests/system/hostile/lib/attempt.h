/* SPDX-License-Identifier: BSD-2-Clause */
/* One piece of code executed by the victim, and what became of it. */
#ifndef ATTEMPT_H
#define ATTEMPT_H

#include "lab.h"
#include "outcome.h"

/* What the handler keeps of a fault. */
struct fault {
	word kind, address, error, ip, thread, index, flags, count;
};

struct outcome {
	unsigned int kind; /* OUT_... or a vector */
	long status;
	struct fault fault; /* when there was one */
};

extern struct domain victim, server;
extern uint64_t attempt_faults; /* of the victim, as the handler counted them */

void attempt_setup(void);
/* Puts code, and the trailer behind it, at the start of the victim's. */
void attempt_code(const unsigned char *start, const unsigned char *end);
/* Executes what is there. All that must hold whatever the code does is checked here. */
struct outcome attempt(const char *name, const word words[6]);
/* The same, and the outcome has to be one of `allowed`. True: it was. */
bool attempt_check(const char *name, const word words[6], word allowed, struct outcome *outcome);
/* Something was not as it has to be; each group may complain a few times. */
void complain(const char *name, const struct outcome *outcome, const char *what);
/* One verdict for all that was done since the last one. */
void group_end(const char *name);

#endif
