/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The results of `limpet doctor`: a list of checks, each with its finding. A check that prevents an attach also has the
 * reason and the remedy. The functions of checks.h fill the list.
 */
#ifndef DOCTOR_DOCTOR_H
#define DOCTOR_DOCTOR_H

#include <stdbool.h>

#define DOCTOR_CHECKS_MAX 64
#define DOCTOR_TEXT 256
/* The kernels that Limpet was tried on, for remedies. */
#define DOCTOR_KERNELS "a stock Debian kernel 6.1, 6.12 (or its -rt- variant) or 7.3"

enum doctor_state {
	DOCTOR_OK,
	DOCTOR_NOTE,	/* information; never prevents an attach */
	DOCTOR_UNKNOWN, /* could not be determined; the module checks it */
	DOCTOR_REFUSED, /* Limpet cannot attach */
};

struct doctor_check {
	const char *name; /* an interface: scripts and --force-check use it */
	enum doctor_state state;
	char found[DOCTOR_TEXT];
	const char *reason; /* NULL unless refused or unknown */
	const char *remedy;
	bool untried; /* refuses only because the kernel is newer than any that Limpet was tried on */
	bool entry;   /* refuses only in beside mode, for untrusted components */
};

struct doctor {
	const char *root; /* "" or a folder that holds proc, sys, boot, dev of the machine */
	bool thorough;	  /* also make the slow checks */
	char release[DOCTOR_TEXT];
	char flags[8192]; /* flags of the processor */
	char command_line[4096];
	unsigned int count;
	struct doctor_check check[DOCTOR_CHECKS_MAX];
};

/* Returns the number of checks that refuse. */
unsigned int doctor_refusals(const struct doctor *doctor);
/* Returns the check with this name, or NULL. */
const struct doctor_check *doctor_find(const struct doctor *doctor, const char *name);
/* Does the same for a caller that changes the check. */
struct doctor_check *doctor_find_own(struct doctor *doctor, const char *name);
/* Returns the word for a state. */
const char *doctor_state_word(enum doctor_state state);

/*
 * Adds a check. `format` is the text of its finding. Returns the check, so that the caller can set reason and remedy.
 */
struct doctor_check *doctor_add(struct doctor *doctor, const char *name, enum doctor_state state,
				const char *format, ...) __attribute__((format(printf, 4, 5)));
void doctor_refuse(struct doctor_check *check, const char *reason, const char *remedy);

#endif
