/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef FRAGILE_H
#define FRAGILE_H

#include <runtime/types.h>

/* Ways to crash, for the function `crash`. */
enum fragile_way {
	FRAGILE_READ_NULL = 0,
	FRAGILE_WRITE_WILD = 1,
	FRAGILE_WRITE_CODE = 2,
	FRAGILE_NOT_CANONICAL = 3,
	FRAGILE_OVERFLOW = 4,
	FRAGILE_SCRIBBLE = 5, /* returns; later calls can detect the damage */
	FRAGILE_CALL_NULL = 6,
	FRAGILE_JUMP_WILD = 7,
	FRAGILE_REGISTERS = 8, /* random values, also in the stack pointer */
	FRAGILE_DIVIDE = 9,
	FRAGILE_INVALID = 10,
	FRAGILE_PRIVILEGED = 11,
	FRAGILE_SYSCALL = 12,
	/* Only a missed heartbeat ends these. */
	FRAGILE_LOOP = 13,
	FRAGILE_WAIT = 14,
	FRAGILE_SLEEP = 15,
	FRAGILE_WAYS
};

/* Fills all registers with other values, and continues. */
_Noreturn void fragile_registers(uint64_t a, uint64_t b);

#endif
