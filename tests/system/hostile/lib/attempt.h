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
	struct fault fault; /* when there was one */
};

extern struct domain victim, server;
extern uint64_t attempt_faults; /* of the victim, as the handler counted them */

void attempt_setup(void);
/* Puts code, followed by the trailer, at the start of the victim's. */
void attempt_code(const unsigned char *start, const unsigned char *end);
/* Executes what is there. All that must hold whatever the code does is checked here. */
struct outcome attempt(const char *name, const word words[6]);
/* Does the same, and expects one of the outcomes `allowed`. Returns true if it was one of them. */
bool attempt_check(const char *name, const word words[6], word allowed, struct outcome *outcome);
/* Reports an unexpected result. Each group may report only a few. */
void complain(const char *name, const struct outcome *outcome, const char *what);
/* Gives one verdict for everything since the last one. */
void group_end(const char *name);

#endif
