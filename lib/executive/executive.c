// SPDX-License-Identifier: BSD-2-Clause
#include <executive/answer.h>
#include <executive/executive.h>
#include <runtime/memory.h>
#include <runtime/time.h>

#include <import/sched.h>

/* Maximum piece of a text in one copy. Most texts are shorter. Must divide a page. */
#define PIECE 256

/* Maximum wait of executive_serve() for the kernel's answer, in milliseconds. */
#define LOOKS 1000

_Static_assert(EXECUTIVE_ANSWER == LIMPET_CALL(LIMPET_CALL_GUEST_ANSWER), "for entry.S");

/* entry.S */
__attribute__((visibility("hidden"))) void executive_entry(void);

static uint32_t asked; /* the first handler thread is at its GUEST_SERVE, or behind it */

/* The main function of a handler thread. It returns only if the kernel refuses the thread. */
static word handler_main(word kinds)
{
	__atomic_store_n(&asked, 1, __ATOMIC_RELEASE);
	return (word)limpet_call_guest_serve((word)executive_entry, kinds);
}

/*
 * Returns the error with which the kernel has refused the first handler thread, or LIMPET_OK. A serving thread does not
 * end. So if the thread has made its request and does not end in one more step, it serves.
 */
static long handler_refused(word thread)
{
	long status = LIMPET_ETIME;
	word error = 0;
	uint32_t before = 0;

	for (unsigned int i = 0; i < LOOKS && status == LIMPET_ETIME && !before; i++) {
		before = __atomic_load_n(&asked, __ATOMIC_ACQUIRE);
		status = sched_join(thread, limpet_time() + limpet_info()->ticks_per_ms, &error);
	}
	if (status == LIMPET_ETIME)
		return LIMPET_OK;
	return status < 0 ? status : (long)error;
}

long executive_serve(word kinds)
{
	long first, status, count = 0;

	asked = 0;
	first = sched_create((word)handler_main, kinds, 0);
	if (first < 0)
		return first == LIMPET_EQUOTA ? LIMPET_ENOENT : first;
	status = handler_refused((word)first);
	if (status < 0)
		return status;
	do
		count++;
	while (sched_create((word)handler_main, kinds, 0) >= 0);
	return count;
}

/* Returns the number of bytes before the first 0, at most `size`. */
static size_t text_length(const char *text, size_t size)
{
	size_t length = 0;

	while (length < size && text[length])
		length++;
	return length;
}

long executive_read_text(char *own, size_t size, word guest)
{
	size_t length = 0;

	while (length < size) {
		size_t piece = PIECE - (guest + length) % PIECE, found;

		if (piece > size - length)
			piece = size - length;
		if (executive_read(own + length, guest + length, piece) < 0)
			return LIMPET_EFAULT;
		found = text_length(own + length, piece);
		length += found;
		if (found < piece)
			return (long)length;
	}
	return LIMPET_ERANGE;
}

word executive_register(unsigned int n)
{
	struct limpet_out out;

	return limpet_call_guest_registers(n, &out) < 0 ? 0 : out.w0;
}

long executive_register_set(unsigned int n, word value)
{
	return limpet_call_guest_register_set(n, value);
}

struct executive_answer executive_linux(word number, const word argument[6])
{
	if (limpet_call_guest_registers_set(LIMPET_GUEST_RDX, argument[2], argument[1],
					    argument[0]) < 0 ||
	    limpet_call_guest_registers_set(LIMPET_GUEST_R8, argument[4], argument[5],
					    argument[3]) < 0 ||
	    executive_register_set(LIMPET_GUEST_RAX, number) < 0)
		return executive_again();
	return executive_passed_result();
}

long executive_continue_at(word entry, word stack, word argument)
{
	struct limpet_out old;
	long status = limpet_call_guest_registers(LIMPET_GUEST_RSP, &old);

	if (status >= 0)
		status = executive_register_set(LIMPET_GUEST_RSP, stack);
	if (status >= 0)
		status = executive_register_set(LIMPET_GUEST_RIP, entry);
	if (status < 0) {
		executive_register_set(LIMPET_GUEST_RSP, old.w0);
		return status;
	}
	return executive_register_set(LIMPET_GUEST_RDI, argument);
}
