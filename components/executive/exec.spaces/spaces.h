/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For Linux programs that are guests of exec.spaces, and for that executive. <executive/space.h> describes each
 * function and its errors. ENOSYS: the program is not a guest, or its filter lacks the call SPACES_CALL.
 */
#ifndef SPACES_H
#define SPACES_H

#define SPACES_CALL 500

/* Makes the call. *value is rdx before and after it. Returns rax. */
static inline long spaces_call(long operation, long w1, long w2, long w3, long *value)
{
	register long r10 __asm__("r10") = w3;
	long result, third = w2;

	__asm__ volatile("syscall"
			 : "=a"(result), "+d"(third)
			 : "0"((long)SPACES_CALL), "D"(operation), "S"(w1), "r"(r10)
			 : "rcx", "r11", "memory");
	*value = third;
	return result;
}

/*
 * Creates a space that starts at `entry`, on the stack whose top is `top` (aligned to 16). `entry` must not return. Its
 * arguments `from` and `value` are the values that spaces_switch() returns. Returns the number of the space.
 */
static inline long spaces_create(void (*entry)(long argument, long from, long value), void *top,
				 long argument)
{
	long unused;

	return spaces_call(0, (long)entry, (long)top - 8, argument, &unused);
}

/* Switches to a space with *value. Returns the number of the space that switches back, and its *value. */
static inline long spaces_switch(long space, long *value)
{
	return spaces_call(1, space, *value, 0, value);
}

/* Destroys a space. Returns 0. */
static inline long spaces_destroy(long space)
{
	long unused;

	return spaces_call(2, space, 0, 0, &unused);
}

#endif
