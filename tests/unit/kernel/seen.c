// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>

#include "machine.h"

#define STATUSES 32

/* The call that a thread is in, and its address. */
static struct {
	word op, ip;
	const struct component *component;
} calls[LIMPET_THREADS_MAX];

static bool seen[LIMPET_CALL_COUNT][STATUSES];

void seen_call(const struct thread *t, word op)
{
	calls[t->id].op = op;
	calls[t->id].ip = t->regs.ip;
	calls[t->id].component = cpu->component;
}

/* Records the status, unless the thread has returned from a different invocation because its component was left. */
void seen_return(const struct thread *t)
{
	long status = (long)t->regs.status;
	word op = calls[t->id].op;

	calls[t->id].op = 0;
	if (!op || op >= LIMPET_CALL_COUNT || calls[t->id].component != cpu->component ||
	    calls[t->id].ip != t->regs.ip || status > 0 || status <= -STATUSES)
		return;
	seen[op][-status] = true;
}

#define CALL_NAME(name, number, words) [number] = #name,
#define ERROR_NAME(name, number, text) [number] = "LIMPET_" #name,

static void __attribute__((destructor)) seen_write(void)
{
	static const char *const names[] = { LIMPET_CALLS(CALL_NAME) };
	static const char *const errors[STATUSES] = { "LIMPET_OK", LIMPET_ERRORS(ERROR_NAME) };
	const char *path = getenv("LIMPET_SEEN");
	FILE *file = path ? fopen(path, "a") : NULL;

	if (!file)
		return;
	for (word op = 0; op < LIMPET_CALL_COUNT; op++)
		for (unsigned int i = 0; i < STATUSES; i++)
			if (seen[op][i])
				fprintf(file, "%s %s\n", names[op], errors[i]);
	fclose(file);
}
