// SPDX-License-Identifier: GPL-2.0
/* Tests EXCEPTION: its contents, and the effects of the executive's answers. */
#include "tests/system/lib/guest_notes.h"

#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/time.h>

#define ALL (-1l)

static volatile int handled, handled_code;
static volatile long handled_ip, handled_ax;
static volatile long handled_skip;

static void handle(int signal, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)signal;
	handled++;
	handled_code = info->si_code;
	handled_ip = registers[REG_RIP];
	handled_ax = registers[REG_RAX];
	registers[REG_RIP] += handled_skip;
}

static void handle_on(int signal, long skip)
{
	sigaction(signal, &(struct sigaction){ .sa_sigaction = handle, .sa_flags = SA_SIGINFO },
		  NULL);
	handled = 0;
	handled_skip = skip;
}

/* Instructions that raise exceptions, with 77 in rax. Each returns rax. */
static __attribute__((noinline)) long invalid(void)
{
	long value = 77;

	__asm__ volatile("ud2" : "+a"(value));
	return value;
}
static __attribute__((noinline)) long divide(void)
{
	long value = 77;

	__asm__ volatile("idivq %2" : "+a"(value) : "d"(0l), "r"(0l) : "cc");
	return value;
}
static long touch(long address)
{
	long value = 77;

	__asm__ volatile("mov (%1), %0" : "+a"(value) : "D"(address) : "memory");
	return value;
}
static long breakpoint(void)
{
	long value = 77;

	__asm__ volatile("int3" : "+a"(value));
	return value;
}

#define BYTES 3 /* bytes of `idiv` and `mov` */

/* Tests that the executive completes each of them. Checks the contents of the event. */
static void check_served(const char *name, long (*raises)(long), long argument, int signal,
			 int code, long address, long vector, long bytes, int rounds)
{
	section(name);
	EQUAL(probe_treat(TREAT_SERVE, bytes, TREAT_PASS), 0);
	for (int i = 0; i < rounds; i++) {
		notes_start();
		EQUAL(raises(argument), PROBE_VALUE);
		notes_stop();
		const long at = note_find(0, LIMPET_GUEST_EXCEPTION, signal);

		EQUAL(note_count, 1);
		EXPECT(at == 0);
		EQUAL((int)note[0].word[1], code);
		EQUAL(note[0].word[2], address);
		EQUAL(note[0].word[3], vector);
	}
}

static long do_breakpoint(long unused)
{
	(void)unused;
	return breakpoint();
}

/* Tests exceptions whose address is that of the instruction. */
static void check_instruction(const char *name, long (*raises)(void), int signal, int code,
			      long vector, long bytes, int rounds)
{
	section(name);
	EQUAL(probe_treat(TREAT_SERVE, bytes, TREAT_PASS), 0);
	notes_start();
	EQUAL(raises(), PROBE_VALUE);
	notes_stop();
	EQUAL(note_count, 1);
	EQUAL(KIND(0), LIMPET_GUEST_EXCEPTION);
	EQUAL(note[0].word[0], signal);
	EQUAL((int)note[0].word[1], code);
	EXPECT(note[0].word[2] - (uint64_t)raises < 64);
	EQUAL(note[0].word[3], vector);
	for (int i = 0; i < rounds * 20; i++)
		EQUAL(raises(), PROBE_VALUE);
}

static void check_kinds(int rounds)
{
	const int fd = memfd_create("short", 0);
	long beyond = (long)mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	long closed = (long)mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	probe_faults(ALL);
	check_instruction("an invalid instruction", invalid, SIGILL, ILL_ILLOPN, 6, 2, rounds);
	check_instruction("a division by zero", divide, SIGFPE, FPE_INTDIV, 0, BYTES, rounds);
	check_served("a breakpoint", do_breakpoint, 0, SIGTRAP, SI_KERNEL, 0, 3, 0, rounds);
	check_served("an unmapped address", touch, 0x123458, SIGSEGV, SEGV_MAPERR, 0x123458, 14,
		     BYTES, rounds);
	check_served("a page without access", touch, closed + 8, SIGSEGV, SEGV_ACCERR, closed + 8,
		     14, BYTES, rounds);
	check_served("an address that is none", touch, (long)0x8000000000000000ul, SIGSEGV,
		     SI_KERNEL, 0, 13, BYTES, rounds);
	check_served("a page behind the end of a file", touch, beyond + 16, SIGBUS, BUS_ADRERR,
		     beyond + 16, 14, BYTES, rounds);
}

/*
 * Tests EXCEPTION followed by the usual signal. Changed registers have the guest's own values
 * again.
 */
static void check_passed(long treatment, const char *name)
{
	section(name);
	probe_faults(ALL);
	handle_on(SIGILL, 2);
	EQUAL(probe_treat(treatment, 2, TREAT_PASS), 0);
	notes_start();
	EQUAL(invalid(), 77);
	notes_stop();
	EQUAL(handled, 1);
	EQUAL(handled_ax, 77);
	EQUAL(KIND(0), LIMPET_GUEST_EXCEPTION);
	EQUAL(KIND(1), LIMPET_GUEST_SIGNAL);
	EQUAL(note[1].word[0] & 0xff, SIGILL);
	EQUAL(note[1].word[2], handled_ip);
	EQUAL(note[2].word[0], SYS_rt_sigreturn);
	EQUAL(note_count, 3);
}

static void check_filter(void)
{
	siginfo_t own = { .si_signo = SIGSEGV, .si_code = SEGV_MAPERR };

	section("no event: another kind, or a signal that the program has sent");
	EQUAL(probe_treat(TREAT_SERVE, BYTES, TREAT_PASS), 0);
	EQUAL(probe_faults(1l << SIGSEGV), 0);
	handle_on(SIGILL, 2);
	notes_start();
	EQUAL(invalid(), 77);
	notes_stop();
	EQUAL(handled, 1);
	EQUAL(notes_of(LIMPET_GUEST_EXCEPTION), 0);
	EQUAL(notes_of(LIMPET_GUEST_SIGNAL), 1);
	handle_on(SIGSEGV, 0);
	notes_start();
	kill(getpid(), SIGSEGV);
	EQUAL(raw(SYS_rt_sigqueueinfo, getpid(), SIGSEGV, (long)&own), 0);
	notes_stop();
	EQUAL(handled, 2);
	EQUAL(handled_code, SEGV_MAPERR);
	EQUAL(notes_of(LIMPET_GUEST_EXCEPTION), 0);
	EQUAL(notes_of(LIMPET_GUEST_SIGNAL), 2);
	EQUAL(probe_faults(0), 0);
	notes_start();
	EQUAL(probe_treat(TREAT_PASS, 0, TREAT_PASS), 0);
	handled_skip = BYTES;
	touch(0x123458);
	notes_stop();
	EQUAL(handled, 3);
	EQUAL(notes_of(LIMPET_GUEST_EXCEPTION), 0);
	probe_faults(ALL);
}

static void check_answers(void)
{
	pid_t pid;

	section("KILL and RELEASE");
	sigaction(SIGILL, &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
	pid = fork();
	if (!pid) {
		probe_faults(ALL);
		probe_treat(TREAT_KILL, 0, TREAT_PASS);
		invalid();
		_exit(1);
	}
	KILLED(pid, SIGKILL);
	pid = fork();
	if (!pid) {
		probe_treat(TREAT_RELEASE, 0, TREAT_PASS);
		invalid();
		_exit(1);
	}
	KILLED(pid, SIGILL);
	pid = fork();
	if (!pid) {
		handle_on(SIGILL, 2);
		probe_treat(TREAT_RELEASE, 0, TREAT_PASS);
		EQUAL(invalid(), 77);
		EQUAL(handled, 1);
		EQUAL(probe_id(), -ENOSYS); /* no longer a guest */
		child_exit();
	}
	GOOD(pid);
	pid = fork();
	if (!pid) {
		handle_on(SIGUSR1, 0);
		probe_treat(TREAT_PASS, 0, TREAT_KILL);
		raise(SIGUSR1);
		_exit(1);
	}
	KILLED(pid, SIGKILL);
	pid = fork();
	if (!pid) {
		handle_on(SIGUSR1, 0);
		probe_treat(TREAT_PASS, 0, TREAT_RELEASE);
		raise(SIGUSR1);
		EQUAL(handled, 1);
		EQUAL(probe_id(), -ENOSYS);
		child_exit();
	}
	GOOD(pid);
}

/* Tests the event of a program whose signal is blocked. Linux first unblocks the signal. */
static void check_blocked(void)
{
	sigset_t set;
	pid_t pid;

	section("a signal that is blocked");
	pid = fork();
	if (!pid) {
		sigfillset(&set);
		sigprocmask(SIG_SETMASK, &set, NULL);
		probe_faults(ALL);
		probe_treat(TREAT_SERVE, 2, TREAT_PASS);
		EQUAL(invalid(), PROBE_VALUE);
		sigprocmask(SIG_SETMASK, NULL, &set);
		EXPECT(!sigismember(&set, SIGILL) && sigismember(&set, SIGTERM));
		child_exit();
	}
	GOOD(pid);
}

static void handle_alarm(int signal)
{
	(void)signal;
	handled++;
	probe_treat(TREAT_SERVE, 2, TREAT_PASS);
}

/* Tests an executive that does not answer. A signal is handled first, and the event comes again. */
static void check_again(void)
{
	struct itimerval once = { { 0, 0 }, { 0, 30000 } };

	section("a signal comes before the answer");
	sigaction(SIGALRM, &(struct sigaction){ .sa_handler = handle_alarm }, NULL);
	sigaction(SIGILL, &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
	handled = 0;
	EQUAL(probe_treat(TREAT_SPIN, 0, TREAT_PASS), 0);
	notes_start();
	setitimer(ITIMER_REAL, &once, NULL);
	EQUAL(invalid(), PROBE_VALUE);
	notes_stop();
	EQUAL(handled, 1);
	const long first = note_find(0, LIMPET_GUEST_EXCEPTION, SIGILL);

	EXPECT(first >= 0 && first < note_find(0, LIMPET_GUEST_SIGNAL, SIGALRM));
	EQUAL(notes_of(LIMPET_GUEST_SIGNAL), 1);
	EQUAL(notes_of(LIMPET_GUEST_EXCEPTION), 2);
	EQUAL(KIND(note_count - 1), LIMPET_GUEST_EXCEPTION);
}

/* Tests that RESULT of a call comes before the EXCEPTION of the next instruction. */
static void check_result(int rounds)
{
	section("a result comes before the exception behind the call");
	probe_mode(RESULT);
	EQUAL(probe_treat(TREAT_SERVE, 2, TREAT_PASS), 0);
	for (int i = 0; i < rounds; i++) {
		long number = SYS_getuid;

		notes_start();
		__asm__ volatile("syscall; ud2" : "+a"(number) : : "rcx", "r11", "memory");
		EQUAL(number, PROBE_VALUE);
		notes_stop();
		EQUAL(KIND(0), LIMPET_GUEST_CALL);
		EQUAL(KIND(1), LIMPET_GUEST_RESULT);
		EQUAL(note[1].word[1], getuid());
		EQUAL(KIND(2), LIMPET_GUEST_EXCEPTION);
	}
	probe_mode(SERVE);
}

static void check_waiting(void)
{
	section("the executive waits, or moves");
	handle_on(SIGILL, 2);
	for (long treatment = TREAT_WAIT; treatment <= TREAT_MOVE; treatment++) {
		EQUAL(probe_treat(treatment, 0, treatment), 0);
		handled = 0;
		notes_start();
		EQUAL(invalid(), 77);
		notes_stop();
		EQUAL(handled, 1);
		EQUAL(note_count, 3);
	}
	EQUAL(probe_treat(TREAT_PASS, 0, TREAT_PASS), 0);
}

int main(int argc, char **argv)
{
	const int rounds = argc > 1 ? atoi(argv[1]) : 20;

	check_kinds(rounds);
	check_passed(TREAT_PASS, "an exception that is passed");
	check_passed(TREAT_CHANGE, "registers that are changed, and the exception is passed");
	check_filter();
	check_answers();
	check_blocked();
	check_result(rounds);
	check_waiting();
	check_again();
	probe_check();
	return sections_finish();
}
