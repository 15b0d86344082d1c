// SPDX-License-Identifier: BSD-2-Clause
/*
 * The vDSO is code of Linux in each program, which reads the clock without a system call. The C library finds it by an
 * entry of the auxiliary vector. Without this entry it makes system calls. The vector is above the stack pointer when a
 * program starts:
 *
 *   number of arguments, arguments, 0, environment, 0, pairs of type and value, pair of type AT_NULL
 */
#include "clock.h"

#define AT_NULL 0
#define AT_IGNORE 1
#define AT_SYSINFO_EHDR 33
#define STACK_MIN (1ul << 32) /* the vector of a 32-bit program, below, has words of 32 bits */
#define WORDS_MAX (1ul << 20) /* more than Linux allows arguments and environment to have */

/* Reads the guest's words from an address on. Copies them in pieces. */
struct words {
	word next; /* address of the first word after the piece */
	word left; /* words that may still be read */
	unsigned int at, count;
	word piece[64];
};

/* Reads the next word. Returns false if it cannot be read. */
static bool word_next(struct words *words, word *value)
{
	if (words->at == words->count) {
		word bytes = sizeof(words->piece);

		/* The stack can end after the vector, but not in the middle of a page. */
		if (bytes > LIMPET_PAGE - words->next % LIMPET_PAGE)
			bytes = LIMPET_PAGE - words->next % LIMPET_PAGE;
		if (!words->left || executive_read(words->piece, words->next, bytes) < 0)
			return false;
		words->next += bytes;
		words->left -= words->left < bytes / sizeof(word) ? words->left
								  : bytes / sizeof(word);
		words->at = 0;
		words->count = (unsigned int)(bytes / sizeof(word));
	}
	*value = words->piece[words->at++];
	return true;
}

/* Skips words up to and with the next 0. */
static bool list_skip(struct words *words)
{
	word value;

	do
		if (!word_next(words, &value))
			return false;
	while (value);
	return true;
}

static word address_of_last(const struct words *words)
{
	return words->next - (words->count - words->at + 1) * sizeof(word);
}

void vdso_hide(void)
{
	struct words words = { .next = executive_register(LIMPET_GUEST_RSP), .left = WORDS_MAX };
	const word ignore = AT_IGNORE;
	word type, value;

	if (words.next % sizeof(word) || words.next < STACK_MIN || !word_next(&words, &value))
		return;
	if (!list_skip(&words) || !list_skip(&words))
		return;
	while (word_next(&words, &type) && type != AT_NULL) {
		if (type == AT_SYSINFO_EHDR)
			executive_write(address_of_last(&words), &ignore, sizeof(ignore));
		if (!word_next(&words, &value))
			return;
	}
}
