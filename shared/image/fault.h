/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of kinds of faults, for messages. */
#ifndef IMAGE_FAULT_H
#define IMAGE_FAULT_H

#include <stdint.h>

#include <limpet/call.h>
#include <limpet/crash.h>

#define FAULT_PAGE 14

/* Bits of a page fault's error code. */
#define FAULT_CODE_PRESENT 1u
#define FAULT_CODE_WRITE 2u
#define FAULT_CODE_FETCH 16u

/* Returns a description of a page fault, for example "write of forbidden". */
static inline const char *fault_page_words(uint64_t code)
{
	static const char words[6][24] = { "read of unmapped",	    "read of forbidden",
					   "write of unmapped",	    "write of forbidden",
					   "execution of unmapped", "execution of forbidden" };
	unsigned int what = code & FAULT_CODE_FETCH ? 4 : code & FAULT_CODE_WRITE ? 2 : 0;

	return words[what + (code & FAULT_CODE_PRESENT)];
}

/* Returns the name of a fault of any other kind, for example "divide error". */
static inline const char *fault_words(uint32_t kind)
{
	static const struct {
		uint32_t kind;
		char words[24];
	} known[] = {
		{ 0, "divide error" },
		{ 1, "debug exception" },
		{ 3, "breakpoint" },
		{ 4, "overflow" },
		{ 5, "bound range exceeded" },
		{ 6, "invalid instruction" },
		{ 7, "no floating-point unit" },
		{ 11, "segment not present" },
		{ 12, "stack fault" },
		{ 13, "general protection" },
		{ FAULT_PAGE, "page fault" },
		{ 16, "floating-point error" },
		{ 17, "unaligned access" },
		{ 19, "vector arithmetic error" },
		{ 21, "control-flow violation" },
		{ LIMPET_FAULT_SYSCALL, "Linux system call" },
		{ LIMPET_FAULT_MODE, "left 64-bit mode" },
		{ LIMPET_CRASH_HEARTBEAT, "no heartbeat" },
	};

	for (unsigned int i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].kind == kind)
			return known[i].words;
	return "exception";
}

#endif
