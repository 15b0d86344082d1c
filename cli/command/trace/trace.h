/* SPDX-License-Identifier: GPL-2.0 */
/* `limpet trace`: events of the kernels, to files that others' viewers open. */
#ifndef CLI_TRACE_H
#define CLI_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <cli/common/event.h>
#include <cli/common/snapshot.h>

/* words.c: a kind in one word, and the kinds in a list of such words; 0: one of them is none. */
const char *trace_kind_word(unsigned int kind);
unsigned int trace_kinds(const char *words);
/* What a kind's argument is, "" if nothing; the name of a kernel call. */
const char *trace_argument_word(unsigned int kind);
const char *trace_call_word(unsigned int number);
/* "control #5": the component that the thread started in, and its id. False: there is none such. */
bool trace_thread_name(const struct snapshot *snapshot, unsigned int cpu, unsigned int id, char *to,
		       size_t size);

/*
 * A form of output. Events of a CPU come in order; `lost` of them were overwritten before the first of
 * these. What cannot be written is seen at the end.
 */
struct trace_format {
	const char *name;
	/* Opens files in a folder that is there. False: reported. */
	bool (*begin)(const struct snapshot *snapshot, const char *folder);
	void (*put)(unsigned int cpu, const struct limpet_trace_event *event, size_t count,
		    uint64_t lost);
	/* False: something could not be written; reported. */
	bool (*end)(void);
};

extern const struct trace_format trace_ctf, trace_json;

/* A file in the folder, to be written. NULL: reported. */
FILE *trace_create(const char *folder, const char *name);
/* False: something could not be written; reported. */
bool trace_close(FILE *file);

/* ctf.c: what the stream files mean, in TSDL. */
void trace_metadata(FILE *out, const struct snapshot *snapshot);

#endif
