// SPDX-License-Identifier: GPL-2.0
/*
 * Tests the handlers of interrupt lines: lib/rtlinux/line.c, and sigaction() in period.c. The test replaces the
 * component `interrupts`, which has lines 5 and 6, and the threads. It runs the server's function itself, until no
 * interrupt is left. Returns the line of the first failure, at most 255, or 0.
 */
#include <rtlinux/core.h>

#include <runtime/time.h>
#include <setjmp.h>

#include <import/interrupts.h>
#include <import/sched.h>

#include "expect.h"

#define LINE 5
#define SIGNAL (RTL_SIGIRQMIN + LINE)

extern struct limpet_info own asm("__limpet_info");
struct limpet_info own = { .thread = 1, .first_thread = 1 };
struct rtl_thread_struct rtlinux_records[RTLINUX_THREADS];
struct sigaction rtlinux_actions[RTL_MAX_SIGNAL + 1];
static void *(*server)(void *);
static bool no_thread, masked;
static unsigned int requested, arrived, acknowledged,
	refused; /* bit N: line N; the last two are counts */
static int handled, argument;
static jmp_buf idle;

/* --- the component `interrupts` */

long interrupts_request(word line, word thread)
{
	(void)thread;
	if (line != LINE && line != LINE + 1)
		return LIMPET_ENOENT;
	requested |= 1u << line;
	return LIMPET_OK;
}

long interrupts_release(word line)
{
	EXPECT(requested & 1u << line);
	requested &= ~(1u << line);
	return LIMPET_OK;
}

long interrupts_take(void)
{
	const unsigned int some = arrived & requested;

	if (!some)
		return LIMPET_EEMPTY;
	arrived &= ~(some & -some);
	return __builtin_ctz(some);
}

long interrupts_acknowledge(word line)
{
	acknowledged += requested >> line & 1;
	return LIMPET_OK;
}

/* --- threads: the test has one, which is also the server's */

unsigned int limpet_thread_id(void)
{
	return own.thread;
}

pthread_t pthread_linux(void)
{
	return NULL;
}

bool rtlinux_valid(const struct rtl_thread_struct *thread)
{
	return thread == rtlinux_self();
}

unsigned int rtlinux_id(const struct rtl_thread_struct *thread)
{
	(void)thread;
	return own.thread;
}

int *rtlinux_errno(void)
{
	return &rtlinux_self()->errno_val;
}

bool rtlinux_server_start(pthread_t *thread, void *(*serve)(void *))
{
	if (no_thread)
		return false;
	*thread = rtlinux_self();
	server = serve;
	return true;
}

int rtlinux_wait(void *object, rtlinux_try *try, hrtime_t until, unsigned int how)
{
	(void)how;
	EXPECT(until == HRTIME_INFINITY);
	if (!try(object))
		longjmp(idle, 1);
	return 0;
}

bool rtlinux_released(void *self)
{
	(void)self;
	return false;
}

void rtlinux_wake(const void *object)
{
	(void)object;
}

void rtlinux_look(struct rtl_thread_struct *self)
{
	(void)self;
}

void rtlinux_signal(pthread_t thread, int signal)
{
	(void)thread;
	(void)signal;
}

unsigned long rtlinux_mask(void)
{
	const bool before = masked;

	masked = true;
	return before;
}

void rtlinux_mask_set(unsigned long to)
{
	masked = to;
}

long rtlinux_refuse(const char *function, const char *reason, long error)
{
	EXPECT(function && reason);
	refused++;
	return error;
}

int rtlinux_defer(void *work)
{
	const struct tq_struct *task = work;

	task->routine(task->data);
	return 1;
}

void rtl_global_pend_irq(int irq)
{
	(void)irq;
}

void pthread_testcancel(void)
{
}

void pthread_exit(void *value)
{
	(void)value;
	__builtin_trap();
}

hrtime_t gethrtime(void)
{
	return 0;
}

long sched_resume_on(word object)
{
	(void)object;
	return LIMPET_OK;
}

/* --- cases */

/* Raises an interrupt, and returns how often handlers ran. */
static int raised(unsigned int line)
{
	handled = 0;
	arrived |= 1u << line;
	rtlinux_self()->rtlinux_inside = 0;
	if (!setjmp(idle))
		server(NULL);
	masked = false;
	arrived = 0;
	return handled;
}

static bool fails(int status, int error)
{
	return status == -1 && errno == error;
}

static void first(int signal)
{
	EXPECT(masked);
	argument = signal;
	handled++;
}

static void second(int signal)
{
	first(-signal);
}

static unsigned int plain(unsigned int irq, struct pt_regs *registers)
{
	EXPECT(irq == LINE && !registers);
	handled++;
	return 0;
}

static void older(void)
{
	handled++;
}

/* Frees its own line. */
static void leave(int signal)
{
	const struct sigaction none = { .sa_handler = SIG_DFL };

	first(signal);
	EXPECT(!sigaction(signal, &none, NULL));
}

/* Runs once, and installs itself again at the third call. */
static void again(int signal)
{
	static int calls;
	const struct sigaction once = { .sa_handler = again, .sa_flags = (int)SA_ONESHOT };

	first(signal);
	EXPECT(!(requested & 1u << LINE));
	if (++calls == 1)
		EXPECT(!sigaction(signal, &once, NULL));
}

static void handlers_change(void)
{
	struct sigaction action = { .sa_handler = first, .sa_mask = 7 }, old = { .sa_mask = 9 };

	EXPECT(!sigaction(SIGNAL, NULL, &old) && old.sa_handler == SIG_DFL && !old.sa_mask);
	EXPECT(!sigaction(SIGNAL, &action, &old) && old.sa_handler == SIG_DFL);
	EXPECT(raised(LINE) == 1 && argument == SIGNAL && !acknowledged);
	action.sa_handler = second;
	EXPECT(!sigaction(SIGNAL, &action, &old) && old.sa_handler == first && old.sa_mask == 7);
	EXPECT(old.owner == rtlinux_self() && !masked);
	EXPECT(raised(LINE) == 1 && argument == -SIGNAL);
	for (int i = 0; i < 2; i++) {
		action.sa_handler = i ? SIG_IGN : SIG_DFL;
		EXPECT(!sigaction(SIGNAL, &action, &old) && old.sa_handler == second);
		EXPECT(!requested && raised(LINE) == 0);
		EXPECT(!sigaction(SIGNAL, &action, &old) && old.sa_handler == SIG_DFL);
		action.sa_handler = second;
		EXPECT(!sigaction(SIGNAL, &action, NULL) && raised(LINE) == 1);
	}
	EXPECT(!rtl_free_irq(LINE));
	EXPECT(!sigaction(SIGNAL, NULL, &old) && old.sa_handler == SIG_DFL);
}

static void flags(void)
{
	struct sigaction action = { .sa_handler = again, .sa_flags = (int)SA_ONESHOT };

	EXPECT(!sigaction(SIGNAL, &action, NULL));
	EXPECT(raised(LINE) == 1 && raised(LINE) == 1 && raised(LINE) == 0);
	action = (struct sigaction){ .sa_handler = leave };
	EXPECT(!sigaction(SIGNAL, &action, NULL) && raised(LINE) == 1 && raised(LINE) == 0);
	action = (struct sigaction){ .sa_handler = first, .sa_flags = SA_IRQ | SA_FOCUS };
	EXPECT(!sigaction(LINE, &action, NULL) && raised(LINE) == 1 && argument == LINE);
	action.sa_handler = SIG_IGN;
	EXPECT(!sigaction(LINE, &action, NULL) && !requested);
	action.sa_handler = first;
	EXPECT(!sigaction(SIGNAL, &action, NULL) && raised(LINE) == 1 && argument == SIGNAL);
	EXPECT(!rtl_free_irq(LINE));
}

static void errors(void)
{
	struct sigaction action = { .sa_handler = first }, old = { .sa_mask = 9 };

	EXPECT(fails(sigaction(SIGNAL + 2, &action, &old), EBUSY) && refused == 1);
	EXPECT(old.sa_mask == 9);
	EXPECT(!sigaction(SIGNAL + 2, NULL, &old) && old.sa_handler == SIG_DFL);
	EXPECT(fails(sigaction(RTL_SIGIRQMIN + NR_IRQS, &action, NULL), EINVAL));
	EXPECT(fails(sigaction(RTL_SIGIRQMIN - 1, &action, NULL), EINVAL));
	EXPECT(fails(sigaction(LINE, &action, NULL), EINVAL));
	action.sa_flags = SA_IRQ;
	EXPECT(fails(sigaction(NR_IRQS, &action, NULL), EINVAL));
	EXPECT(fails(sigaction(-1, &action, NULL), EINVAL));
	EXPECT(!rtl_request_irq(LINE, plain) && rtl_request_irq(LINE, plain) == -EBUSY);
	EXPECT(fails(sigaction(SIGNAL, &action, NULL), EBUSY) && refused == 1);
	action.sa_handler = SIG_DFL;
	EXPECT(fails(sigaction(SIGNAL, &action, NULL), EBUSY) && raised(LINE) == 1);
	EXPECT(!rtl_free_irq(LINE) && rtl_free_irq(LINE) == -EINVAL);
	EXPECT(rtl_request_irq(NR_IRQS, plain) == -EINVAL &&
	       rtl_request_irq(LINE, NULL) == -EINVAL);
	EXPECT(rtl_request_irq(LINE + 2, plain) == -EBUSY && refused == 2);
}

/* The server's thread does not exist before the first request that succeeds. */
static void thread_missing(void)
{
	const struct sigaction action = { .sa_handler = first };

	no_thread = true;
	EXPECT(fails(sigaction(SIGNAL, &action, NULL), EBUSY) && refused == 1 && !requested);
	no_thread = false;
	refused = 0;
}

static void enabled_again(void)
{
	acknowledged = 0;
	EXPECT(!request_RTirq(LINE, older) && request_RTirq(LINE, older) == -EBUSY);
	EXPECT(raised(LINE) == 1 && acknowledged == 1);
	EXPECT(!free_RTirq(LINE) && free_RTirq(LINE) == -EINVAL);
}

int main(void)
{
	thread_missing();
	handlers_change();
	flags();
	errors();
	enabled_again();
	return failed > 255 ? 255 : failed;
}
