// SPDX-License-Identifier: GPL-2.0
/*
 * Tests SIGNAL and END: the signals that cause events, the contents of the events, and their order among calls and
 * results.
 */
#include "tests/system/lib/guest_notes.h"

#include <setjmp.h>
#include <sys/ptrace.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <time.h>

static volatile int handled[200], handled_count;

static void handle(int signal, siginfo_t *info, void *context)
{
	(void)info;
	(void)context;
	if (handled_count < 200)
		handled[handled_count] = signal;
	handled_count++;
}

static void handle_all(int flags)
{
	struct sigaction action = { .sa_sigaction = handle, .sa_flags = SA_SIGINFO | flags };

	for (int signal = 1; signal <= 64; signal++)
		sigaction(signal, &action, NULL); /* fails for signals that cannot be handled */
	handled_count = 0;
}

static void default_all(void)
{
	for (int signal = 1; signal <= 64; signal++)
		sigaction(signal, &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
}

/* Makes the system call directly, so that the C library's own signals 32 and 33 are sent, too. */
static long send_self(int signal)
{
	return raw(SYS_tgkill, getpid(), (long)raw(SYS_gettid, 0, 0, 0), signal);
}

static bool can_handle(int signal)
{
	return signal != SIGKILL && signal != SIGSTOP && signal != 32 && signal != 33;
}

/* Returns whether note `at` is a signal that the handler got and this process has sent. */
static void check_own(long at, int signal, int code)
{
	EQUAL(KIND(at), LIMPET_GUEST_SIGNAL);
	EQUAL(LIMPET_GUEST_SIGNAL_NUMBER(note[at].word[0]), signal);
	EQUAL(LIMPET_GUEST_SIGNAL_FATE(note[at].word[0]), LIMPET_GUEST_HANDLED);
	EQUAL(LIMPET_GUEST_SIGNAL_MISSED(note[at].word[0]), 0);
	EQUAL(LIMPET_GUEST_SIGNAL_CODE(note[at].word[1]), code);
	EQUAL(LIMPET_GUEST_SIGNAL_ERROR(note[at].word[1]), 0);
	EQUAL((uint32_t)note[at].word[2], getpid());
	EQUAL(note[at].word[2] >> 32, getuid());
}

static void check_each(bool results)
{
	section(results ? "each signal, with results" : "each signal");
	probe_mode(results ? RESULT : PASS);
	handle_all(0);
	for (int signal = 1; signal <= 64; signal++) {
		if (!can_handle(signal))
			continue;
		notes_start();
		EQUAL(send_self(signal), 0);
		notes_stop();
		const long first = note_find(0, LIMPET_GUEST_CALL, SYS_tgkill % 256);

		EQUAL(notes_of(LIMPET_GUEST_SIGNAL), 1);
		EXPECT(first >= 0 && first + 2 + results < note_count);
		if (results) {
			EQUAL(KIND(first + 1), LIMPET_GUEST_RESULT);
			EQUAL(note[first + 1].word[1], 0);
		}
		check_own(first + 1 + results, signal, SI_TKILL);
		EQUAL(KIND(first + 2 + results), LIMPET_GUEST_CALL);
		EQUAL(note[first + 2 + results].word[0], SYS_rt_sigreturn);
	}
	EQUAL(handled_count, 60);
}

static void check_interrupted(int flags)
{
	struct itimerval once = { { 0, 0 }, { 0, 20000 } };
	int ends[2];
	char byte;
	pid_t pid;

	section(flags ? "a call that starts again" : "a call that is interrupted");
	probe_mode(RESULT);
	handle_all(flags);
	EQUAL(pipe(ends), 0);
	notes_start();
	pid = flags ? fork() : 0;
	if (flags && !pid) {
		while (!handled_count) /* counts itself, because a signal would not reach the parent's read */
			pause_us(100000), handled_count++;
		_exit(write(ends[1], "x", 1) == 1 ? CHILD_GOOD : 1);
	}
	setitimer(ITIMER_REAL, &once, NULL);
	EQUAL(raw(SYS_read, ends[0], (long)&byte, 1), flags ? 1 : -EINTR);
	notes_stop();
	const long at = note_find(0, LIMPET_GUEST_CALL, SYS_read);

	EXPECT(at >= 0 && at + 3 < note_count);
	EQUAL(KIND(at + 1), LIMPET_GUEST_RESULT);
	EQUAL(note[at + 1].word[1], -EINTR);
	EQUAL(note[at + 1].word[2], 1);
	EQUAL(KIND(at + 2), LIMPET_GUEST_SIGNAL);
	EQUAL(LIMPET_GUEST_SIGNAL_NUMBER(note[at + 2].word[0]), SIGALRM);
	EQUAL(LIMPET_GUEST_SIGNAL_CODE(note[at + 2].word[1]), SI_KERNEL);
	EQUAL(note[at + 3].word[0], SYS_rt_sigreturn);
	if (flags) {
		EQUAL(KIND(at + 4), LIMPET_GUEST_CALL);
		EQUAL(note[at + 4].word[0], SYS_read);
		GOOD(pid);
	}
	close(ends[0]);
	close(ends[1]);
}

/* Tests seven pending signals. The events come in the order of the frames, and the handlers run in reverse order. */
static void check_several(void)
{
	sigset_t all, old;
	long at = 0;
	const int wanted[] = { SIGUSR1, SIGUSR2, SIGRTMIN, SIGRTMIN, SIGRTMIN, SIGRTMIN, SIGRTMIN };

	section("several signals wait");
	probe_mode(RESULT);
	handle_all(SA_NODEFER);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	for (int i = 0; i < 5; i++)
		EQUAL(sigqueue(getpid(), SIGRTMIN, (union sigval){ .sival_int = i }), 0);
	kill(getpid(), SIGUSR2);
	kill(getpid(), SIGUSR1);
	notes_start();
	sigprocmask(SIG_SETMASK, &old, NULL);
	notes_stop();
	EQUAL(notes_of(LIMPET_GUEST_SIGNAL), 7);
	EQUAL(handled_count, 7);
	at = note_find(0, LIMPET_GUEST_SIGNAL, -1);
	for (int i = 0; i < 7 && at >= 0; i++, at++) {
		check_own(at, wanted[i], i < 2 ? SI_USER : SI_QUEUE);
		EQUAL(handled[6 - i], wanted[i]);
		if (i >= 2)
			EQUAL((int)note[at].word[3], i - 2);
	}
	EQUAL(note_find(0, LIMPET_GUEST_RESULT, SYS_rt_sigprocmask),
	      note_find(0, LIMPET_GUEST_SIGNAL, -1) - 1);
}

static void check_none(void)
{
	const struct timespec now = { 0, 0 };
	sigset_t set, old;
	siginfo_t info;
	int fd;

	section("signals that are ignored or taken make no event");
	probe_mode(PASS);
	handle_all(0);
	sigfillset(&set);
	sigprocmask(SIG_SETMASK, &set, &old);
	notes_start();
	EQUAL(send_self(SIGUSR1), 0);
	sigaction(SIGCHLD, &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
	EQUAL(send_self(SIGCHLD), 0);
	EQUAL(send_self(SIGUSR2), 0);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	EQUAL(sigtimedwait(&set, &info, &now), SIGUSR1);
	sigaddset(&set, SIGUSR2);
	fd = signalfd(-1, &set, 0);
	struct signalfd_siginfo got;
	EQUAL(read(fd, &got, sizeof(got)), sizeof(got));
	EQUAL(got.ssi_signo, SIGUSR2);
	sigprocmask(SIG_SETMASK, &old, NULL);
	notes_stop();
	EQUAL(notes_of(LIMPET_GUEST_SIGNAL), 0);
	EQUAL(handled_count, 0);
	close(fd);
}

static void check_timer(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL,
				  .sigev_signo = SIGRTMIN + 3,
				  .sigev_value.sival_int = 4711 };
	struct itimerspec time = { { 0, 0 }, { 0, 2000000 } };
	timer_t timer;
	long at;

	section("a timer's signal while the program computes");
	probe_mode(PASS);
	handle_all(0);
	EQUAL(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
	notes_start();
	timer_settime(timer, 0, &time, NULL);
	for (double end = seconds() + 20; !handled_count && seconds() < end;)
		;
	notes_stop();
	EQUAL(handled_count, 1);
	at = note_find(0, LIMPET_GUEST_SIGNAL, SIGRTMIN + 3);
	EXPECT(at >= 0);
	EQUAL(notes_of(LIMPET_GUEST_SIGNAL), 1);
	EQUAL(LIMPET_GUEST_SIGNAL_CODE(note[at].word[1]), SI_TIMER);
	EQUAL((int)note[at].word[3], 4711);
	timer_delete(timer);
}

static void check_stop(void)
{
	pid_t pid;
	int status;

	section("a stop is an event when it is over");
	probe_mode(PASS);
	default_all();
	pid = fork();
	if (!pid) {
		notes_start();
		for (int i = 0; i < 3; i++)
			send_self(SIGSTOP);
		notes_stop();
		EQUAL(notes_of(LIMPET_GUEST_SIGNAL), 3);
		for (long i = 0, at = -1; i < 3; i++) {
			at = note_find(at + 1, LIMPET_GUEST_SIGNAL, SIGSTOP);
			EXPECT(at >= 0);
			EQUAL(LIMPET_GUEST_SIGNAL_FATE(note[at].word[0]), LIMPET_GUEST_STOPPED);
			EQUAL((uint32_t)note[at].word[2], getpid());
		}
		child_exit();
	}
	for (int i = 0; i < 3; i++) {
		EQUAL(waitpid(pid, &status, WUNTRACED), pid);
		EXPECT(WIFSTOPPED(status));
		kill(pid, SIGCONT);
	}
	GOOD(pid);
}

/* Runs a child to its end. Stores its event END in note[0]. */
static void end_of(void (*end)(void), int signal)
{
	pid_t pid;
	bool found = false;

	notes_from = probe_noting(0);
	pid = fork();
	if (!pid) {
		probe_noting(1);
		end();
		_exit(0);
	}
	KILLED(pid, signal);
	for (double limit = seconds() + 20; !found && seconds() < limit; pause_us(1000)) {
		note_count = probe_notes(notes_from, note, NOTES_MAX);
		for (long i = 0; i < note_count && !found; i++) {
			found = KIND(i) == LIMPET_GUEST_END && (pid_t)note[i].word[1] == pid;
			if (found)
				note[0] = note[i];
		}
	}
	EXPECT(found);
	EQUAL(note[0].word[2] & 0x7f, signal);
}

static void touch_nothing(void)
{
	*(volatile int *)0x123450 = 1;
}
static void queue_quit(void)
{
	sigqueue(getpid(), SIGQUIT, (union sigval){ .sival_int = 99 });
}
static void send_term(void)
{
	kill(getpid(), SIGTERM);
}
static void send_kill(void)
{
	kill(getpid(), SIGKILL);
}

static void check_ends(void)
{
	section("a signal that ends the process is reported by END");
	probe_mode(PASS);
	default_all();
	end_of(touch_nothing, SIGSEGV);
	EQUAL(LIMPET_GUEST_SIGNAL_CODE(note[0].word[3]), SEGV_MAPERR);
	EQUAL(note[0].word[4], 0x123450);
	end_of(queue_quit, SIGQUIT);
	EQUAL(LIMPET_GUEST_SIGNAL_CODE(note[0].word[3]), SI_QUEUE);
	EQUAL((uint32_t)note[0].word[4], note[0].word[1]);
	EQUAL((int)note[0].word[5], 99);
	end_of(send_term, SIGTERM);
	EQUAL(note[0].word[3], 0);
	EQUAL(note[0].word[4], 0);
	end_of(send_kill, SIGKILL);
	EQUAL(note[0].word[3], 0);
}

static sigjmp_buf back;
static uint8_t stack[65536] __attribute__((aligned(16)));

static void jump(int signal)
{
	siglongjmp(back, signal);
}

static void check_jumps(int rounds)
{
	const stack_t other = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_handler = jump,
				    .sa_flags = SA_ONSTACK | SA_NODEFER | SA_RESTART };
	static volatile int done;
	const long before = probe_counter(SIGNALS);

	section("handlers that never return, on a stack of their own");
	probe_mode(RESULT);
	EQUAL(sigaltstack(&other, NULL), 0);
	sigaction(SIGUSR1, &action, NULL);
	for (done = 0; done < rounds; done++)
		if (!sigsetjmp(back, 1))
			send_self(SIGUSR1);
	EQUAL(probe_counter(SIGNALS) - before, rounds);
}

static pid_t traced(int signal)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		notes_start();
		handled_count = 0;
		send_self(signal);
		notes_stop();
		EQUAL(notes_of(LIMPET_GUEST_SIGNAL), handled_count);
		if (handled_count)
			EQUAL(note_find(0, LIMPET_GUEST_SIGNAL, handled[0]) >= 0, 1);
		_exit(section_failures ? 1 : 50 + (handled_count ? handled[0] : 0));
	}
	EQUAL(waitpid(pid, &status, 0), pid);
	EXPECT(WIFSTOPPED(status) && WSTOPSIG(status) == signal);
	return pid;
}

static int traced_end(pid_t pid, int signal)
{
	int status = -1;

	EQUAL(ptrace(PTRACE_CONT, pid, 0, signal), 0);
	while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status))
		ptrace(PTRACE_CONT, pid, 0, WSTOPSIG(status));
	return WIFEXITED(status) ? WEXITSTATUS(status) - 50 : -1;
}

static void check_traced(void)
{
	section("a tracer suppresses a signal, or delivers another one");
	probe_mode(PASS);
	handle_all(0);
	EQUAL(traced_end(traced(SIGUSR1), SIGUSR1), SIGUSR1);
	EQUAL(traced_end(traced(SIGUSR1), SIGUSR2), SIGUSR2);
	EQUAL(traced_end(traced(SIGUSR1), 0), 0);
}

int main(int argc, char **argv)
{
	check_each(false);
	check_each(true);
	check_interrupted(0);
	check_interrupted(SA_RESTART);
	check_several();
	check_none();
	check_timer();
	check_stop();
	check_ends();
	check_jumps(argc > 1 ? atoi(argv[1]) : 200);
	check_traced();
	default_all();
	probe_mode(SERVE);
	probe_check();
	return sections_finish();
}
