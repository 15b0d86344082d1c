// SPDX-License-Identifier: BSD-2-Clause
/* Signals: names, sets, handlers, and the status of a process. */
#include <guest/put.h>

#define SIGNALS 64		 /* bits of the kernel's sigset_t */
#define REAL_TIME GUEST_SIGRTMIN /* the first real-time signal */
#define PREFIX 3		 /* of a name: SIG */

void put_signal(struct guest_line *line, word number, bool prefix)
{
	const struct guest_set *set = &guest_sets[GUEST_SET_SIG];
	const char *name = symbol_name(set->symbols, set->symbol_count, number);

	if (name)
		text_add(&line->text, "%s", prefix ? name : name + PREFIX);
	else if (number == REAL_TIME)
		text_add(&line->text, prefix ? "SIGRTMIN" : "RTMIN");
	else if (number > REAL_TIME && number <= SIGNALS)
		text_add(&line->text, prefix ? "SIGRT_%lu" : "RT_%lu", number - REAL_TIME);
	else
		text_add(&line->text, "%d", (int)number);
}

static unsigned int bits_count(word set)
{
	unsigned int count = 0;

	for (; set; set &= set - 1)
		count++;
	return count;
}

/* A set with most signals is printed as the signals that it lacks. */
void put_sigset(struct guest_line *line, word set)
{
	bool lacks = bits_count(set) >= SIGNALS * 2 / 3;
	const char *between = "";

	text_add(&line->text, lacks ? "~[" : "[");
	for (unsigned int i = 0; i < SIGNALS; i++) {
		if ((set >> i & 1) == lacks)
			continue;
		text_add(&line->text, "%s", between);
		put_signal(line, i + 1, false);
		between = " ";
	}
	text_add(&line->text, "]");
}

void put_handler(struct guest_line *line, word handler)
{
	const struct guest_set *set = &guest_sets[GUEST_SET_HANDLER];
	const char *name = symbol_name(set->symbols, set->symbol_count, handler);

	if (name)
		text_add(&line->text, "%s", name);
	else
		put_address(line, handler);
}

/* The parts of a status: bits 0 to 6 the signal that ended the process, or 0; bit 7: a core dump. */
static void put_status_of(struct guest_line *line, unsigned int status)
{
	unsigned int high = status >> 8 & 0xff, low = status & 0x7f;

	if (status == 0xffff) {
		text_add(&line->text, "WIFCONTINUED(s)");
	} else if (low == 0) {
		text_add(&line->text, "WIFEXITED(s) && WEXITSTATUS(s) == %u", high);
	} else if (low == 0x7f) {
		text_add(&line->text, "WIFSTOPPED(s) && WSTOPSIG(s) == ");
		put_signal(line, high, true);
	} else {
		text_add(&line->text, "WIFSIGNALED(s) && WTERMSIG(s) == ");
		put_signal(line, low, true);
		text_add(&line->text, status & 0x80 ? " && WCOREDUMP(s)" : "");
	}
}

void put_status(struct guest_line *line, word address)
{
	unsigned int status;

	if (!address || !guest_read(line, &status, address, sizeof(status))) {
		put_address(line, address);
		return;
	}
	text_add(&line->text, "[{");
	put_status_of(line, status);
	text_add(&line->text, "}]");
}
