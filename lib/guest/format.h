/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints system calls in the form of strace. Call guest_line_begin() before the system call, then one of
 * the other three functions. Output values are read after the call. An example of the text:
 *
 *     read(3, "root:x:0"..., 4096) = 1743
 *
 * The traced program's memory is hostile: an address may be invalid or huge, and contents may change
 * between two copies. Each word is therefore copied once, into memory of this library. A copy that
 * fails prints the address instead. Texts are cut after 32 bytes, except paths; lists after 32
 * elements. The number of copies for one call is bounded: at most 4,400, for execve.
 *
 * The functions may be called by any thread, do not allocate, and wait only if `copy` waits. They
 * need less than 2 KiB of stack.
 */
#ifndef GUEST_FORMAT_H
#define GUEST_FORMAT_H

#include <guest/calls.h>
#include <runtime/text.h>

/*
 * Copies `size` bytes at an address of the traced program. Returns 0, or a negative error if not all
 * could be copied. The bytes are never more than 512, and never beyond the end of the address space.
 */
typedef long guest_copy(void *context, void *to, word address, word size);

struct guest_memory {
	guest_copy *copy;
	void *context;
};

/* A call that is being printed. The caller provides the buffer, and reads `text`. */
struct guest_line {
	struct text text; /* `cut` is set if the buffer was too small for the whole text */
	struct guest_memory memory;
	const struct guest_call *call; /* NULL if no call has that number */
	const struct guest_value *shown;
	word arguments[GUEST_ARGUMENTS];
	long number, result;
	unsigned int count, next; /* number of arguments to print, and the next one */
	unsigned char returns, of;
	bool ended;		  /* the result is known */
	bool length_known;	  /* the call has a GUEST_LENGTH, and the number there was read */
	int length, length_after; /* that number, before and after the call */
	word length_at;
	bool half; /* argument `next` is printed, but not what the call writes there */
	word pidfd_at, thread_at; /* addresses that clone3 writes to, or 0 */
	unsigned int mode;	  /* of the structure being printed */
};

/*
 * Prints a call up to its first argument that is read after the call. The buffer `at` has `size` bytes,
 * at least 1. The text always ends with 0.
 */
void guest_line_begin(struct guest_line *line, char *at, size_t size,
		      const struct guest_memory *memory, long number,
		      const word arguments[GUEST_ARGUMENTS]);
/* Prints the other arguments and the result: the register after the call, so -1 to -4095 is an error. */
void guest_line_end(struct guest_line *line, long result);
/* Prints the end of a call that will not return, as exit_group() or after the program's death: " = ?". */
void guest_line_lost(struct guest_line *line);
/* Prints " <unfinished ...>" for a call that still waits. The caller must not call guest_line_end() after it. */
void guest_line_unfinished(struct guest_line *line);

/*
 * A delivered signal: its number, siginfo_t's si_code and si_errno, and the 32 bytes of siginfo_t from offset 16 on.
 */
struct guest_signal {
	unsigned int number;
	int code, error;
	word fields[4];
};
/*
 * Prints a delivered signal, for example
 * "--- SIGSEGV {si_signo=SIGSEGV, si_code=SEGV_MAPERR, si_addr=NULL} ---". The buffer is as for guest_line_begin().
 */
void guest_line_signal(struct guest_line *line, char *at, size_t size,
		       const struct guest_signal *signal);
/* Adds the name of a signal, such as SIGSEGV. */
void guest_signal_name(struct text *text, unsigned int number);

#endif
