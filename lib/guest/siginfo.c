// SPDX-License-Identifier: BSD-2-Clause
/* A signal and what Linux knows about it, in the form of strace. */
#include <guest/put.h>

/* Names of codes above 0, by signal. */
static const struct {
	unsigned char number, set;
} sets[] = {
	{ GUEST_SIGILL, GUEST_SET_SI_ILL },   { GUEST_SIGTRAP, GUEST_SET_SI_TRAP },
	{ GUEST_SIGBUS, GUEST_SET_SI_BUS },   { GUEST_SIGFPE, GUEST_SET_SI_FPE },
	{ GUEST_SIGSEGV, GUEST_SET_SI_SEGV }, { GUEST_SIGCHLD, GUEST_SET_SI_CLD },
	{ GUEST_SIGIO, GUEST_SET_SI_POLL },   { GUEST_SIGSYS, GUEST_SET_SI_SYS },
};

#define CODE_USER 0
#define CODE_TIMER (-2)
#define CODE_TKILL (-6)
#define CODE_EXITED 1

static const char *name_in(unsigned int of, int code)
{
	const struct guest_set *set = &guest_sets[of];

	return symbol_name(set->symbols, set->symbol_count, (unsigned int)code);
}

static const char *code_name(const struct guest_signal *signal)
{
	const char *name = name_in(GUEST_SET_SI, signal->code);

	for (unsigned int i = 0; !name && i < sizeof(sets) / sizeof(*sets); i++)
		if (sets[i].number == signal->number)
			name = name_in(sets[i].set, signal->code);
	return name;
}

static int low(word field)
{
	return (int)field;
}

static int high(word field)
{
	return (int)(field >> 32);
}

static void put_sender(struct guest_line *line, const struct guest_signal *signal)
{
	text_add(&line->text, ", si_pid=%d, si_uid=%d", low(signal->fields[0]),
		 high(signal->fields[0]));
}

static void put_value(struct guest_line *line, const struct guest_signal *signal)
{
	text_add(&line->text, ", si_int=%d, si_ptr=", low(signal->fields[1]));
	put_address(line, signal->fields[1]);
}

static void put_child(struct guest_line *line, const struct guest_signal *signal)
{
	put_sender(line, signal);
	text_add(&line->text, ", si_status=");
	if (signal->code == CODE_EXITED)
		text_add(&line->text, "%d", low(signal->fields[1]));
	else
		put_signal(line, (unsigned int)signal->fields[1], true);
	text_add(&line->text, ", si_utime=%lu, si_stime=%lu", signal->fields[2], signal->fields[3]);
}

static void put_call(struct guest_line *line, const struct guest_signal *signal)
{
	const struct guest_call *call = guest_call_at(low(signal->fields[1]));

	text_add(&line->text, ", si_call_addr=");
	put_address(line, signal->fields[0]);
	if (call)
		text_add(&line->text, ", si_syscall=__NR_%s", call->name);
	else
		text_add(&line->text, ", si_syscall=%d", low(signal->fields[1]));
	text_add(&line->text, ", si_arch=");
	put_hex(line, (unsigned int)high(signal->fields[1]));
}

static void put_timer(struct guest_line *line, const struct guest_signal *signal)
{
	text_add(&line->text, ", si_timerid=");
	put_hex(line, (unsigned int)signal->fields[0]);
	text_add(&line->text, ", si_overrun=%d", high(signal->fields[0]));
}

/* A code of 0 or less: a program has sent it. */
static void put_sent(struct guest_line *line, const struct guest_signal *signal)
{
	if (signal->code == CODE_TIMER)
		put_timer(line, signal);
	else
		put_sender(line, signal);
	if (signal->code == CODE_TIMER ||
	    (signal->code != CODE_USER && signal->code != CODE_TKILL && signal->fields[1]))
		put_value(line, signal);
}

static void put_raised(struct guest_line *line, const struct guest_signal *signal)
{
	switch (signal->number) {
	case GUEST_SIGCHLD:
		put_child(line, signal);
		break;
	case GUEST_SIGILL:
	case GUEST_SIGFPE:
	case GUEST_SIGSEGV:
	case GUEST_SIGBUS:
	case GUEST_SIGTRAP:
		text_add(&line->text, ", si_addr=");
		put_address(line, signal->fields[0]);
		break;
	case GUEST_SIGIO:
		text_add(&line->text, ", si_band=%ld", (long)signal->fields[0]);
		break;
	case GUEST_SIGSYS:
		put_call(line, signal);
		break;
	default:
		if (signal->fields[0])
			put_sender(line, signal);
		if (signal->fields[1])
			put_value(line, signal);
	}
}

void guest_line_signal(struct guest_line *line, char *at, size_t size,
		       const struct guest_signal *signal)
{
	const char *name = code_name(signal);

	*line = (struct guest_line){ .text = text_in(at, size) };
	text_add(&line->text, "--- ");
	put_signal(line, signal->number, true);
	text_add(&line->text, " {si_signo=");
	put_signal(line, signal->number, true);
	text_add(&line->text, ", si_code=");
	if (name)
		text_add(&line->text, "%s", name);
	else
		put_hex(line, (unsigned int)signal->code);
	if (signal->error)
		text_add(&line->text, ", si_errno=%d", signal->error);
	if (signal->code <= 0)
		put_sent(line, signal);
	else
		put_raised(line, signal);
	text_add(&line->text, "} ---");
}

void guest_signal_name(struct text *text, unsigned int number)
{
	struct guest_line line = { .text = *text };

	put_signal(&line, number, true);
	*text = line.text;
}
