/* SPDX-License-Identifier: GPL-2.0 */
/* `limpet trace` writes the kernels' events to files for trace viewers. */
#ifndef CLI_TRACE_H
#define CLI_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <cli/common/event.h>
#include <cli/common/snapshot.h>

/*
 * words.c. trace_kind_word: returns the word for a kind of events. trace_kinds: returns the kinds of a list of such
 * words, or 0 if a word is unknown.
 */
#define TRACE_EVENTS                                                                               \
	"dispatch,invoke,return,event,fault,timer,resume,pause,call,guest-call,guest-result"
const char *trace_kind_word(unsigned int kind);
unsigned int trace_kinds(const char *words);
/*
 * Returns the meaning of a kind's argument, or "" if it has no argument. trace_call_word: returns the name of a kernel
 * call. trace_guest_word: returns the name of one of Linux's system calls.
 */
const char *trace_argument_word(unsigned int kind);
const char *trace_call_word(unsigned int number);
const char *trace_guest_word(unsigned int number);
/*
 * Writes a name such as "control #5": the component in which the thread started, and its id. Returns false if it is
 * unknown.
 */
bool trace_thread_name(const struct snapshot *snapshot, unsigned int cpu, unsigned int id, char *to,
		       size_t size);

/*
 * An output format. Events of a CPU are passed in order. `lost` events were overwritten before the first of them. end()
 * reports all errors of writing.
 */
struct trace_format {
	const char *name;
	/* Opens files in an existing folder. Returns false after it has reported an error. */
	bool (*begin)(const struct snapshot *snapshot, const char *folder);
	void (*put)(unsigned int cpu, const struct limpet_trace_event *event, size_t count,
		    uint64_t lost);
	/* Returns false after it has reported an error. */
	bool (*end)(void);
};

extern const struct trace_format trace_ctf, trace_json;

/* Creates a file in the folder. Returns NULL after it has reported an error. */
FILE *trace_create(const char *folder, const char *name);
/* Closes a file of the trace. Returns false after it has reported an error of this or an earlier write. */
bool trace_close(FILE *file);

/* ctf.c. Writes the description of the stream files, in TSDL. */
void trace_metadata(FILE *out, const struct snapshot *snapshot);

#endif
