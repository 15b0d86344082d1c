// SPDX-License-Identifier: BSD-2-Clause
/*
 * Interrupts of the machine. The component interrupts has the lines of the system file. In RTLinux a handler runs with
 * interrupts disabled. Here it runs in a thread above all others of the module, with masked interrupts.
 */
#include "core.h"

#include <import/interrupts.h>

typedef unsigned int irq_handler(unsigned int irq, struct pt_regs *registers);

static irq_handler *handlers[NR_IRQS];
static void (*old_handlers[NR_IRQS])(void); /* handlers of request_RTirq() */
static pthread_t server;		    /* NULL: not created */
static unsigned int line; /* line that the server serves; also the object that it waits for */

static bool line_take(void *taken)
{
	const long status = interrupts_take();

	if (status < 0)
		return false;
	*(unsigned int *)taken = (unsigned int)status;
	return true;
}

static void *serve(void *nothing)
{
	INSIDE;

	for (;;) {
		irq_handler *handler;

		rtlinux_wait(&line, line_take, HRTIME_INFINITY, 0);
		handler = line < NR_IRQS ? __atomic_load_n(&handlers[line], __ATOMIC_SEQ_CST)
					 : NULL;
		if (handler) {
			const unsigned char depth = rtlinux_module_begin(inside);

			rtl_stop_interrupts();
			handler(line, NULL);
			rtl_allow_interrupts();
			rtlinux_module_end(inside, depth);
		}
	}
	return nothing;
}

static int request(const char *function, unsigned int irq, irq_handler *handler)
{
	if (irq >= NR_IRQS || !handler)
		return -EINVAL;
	if (handlers[irq])
		return -EBUSY;
	__atomic_store_n(&handlers[irq], handler, __ATOMIC_SEQ_CST);
	if (interrupts_request(irq, rtlinux_id(rtlinux_self()))) {
		handlers[irq] = NULL;
		return (int)rtlinux_refuse(
			function,
			"the system file does not assign this interrupt to the component interrupts",
			-EBUSY);
	}
	if (!rtlinux_server_start(&server, serve)) {
		interrupts_release(irq);
		handlers[irq] = NULL;
		return (int)rtlinux_refuse(function, "there is no spare thread: see --threads",
					   -EBUSY);
	}
	interrupts_request(irq, rtlinux_id(server));
	rtlinux_wake(&line); /* an interrupt can have come before */
	return 0;
}

int rtl_request_irq(unsigned int irq, unsigned int (*handler)(unsigned int, struct pt_regs *))
{
	INSIDE;

	return request("rtl_request_irq", irq, handler);
}

int rtl_free_irq(unsigned int irq)
{
	INSIDE;

	if (irq >= NR_IRQS || !handlers[irq])
		return -EINVAL;
	interrupts_release(irq);
	handlers[irq] = NULL;
	return 0;
}

/* A handler of version 1 does not enable the line itself. */
static unsigned int old_handler_run(unsigned int irq, struct pt_regs *registers)
{
	(void)registers;
	old_handlers[irq]();
	rtl_hard_enable_irq(irq);
	return 0;
}

int request_RTirq(unsigned int irq, void (*handler)(void))
{
	INSIDE;

	if (irq >= NR_IRQS || !handler)
		return -EINVAL;
	if (handlers[irq])
		return -EBUSY;
	old_handlers[irq] = handler;
	return request("request_RTirq", irq, old_handler_run);
}

int free_RTirq(unsigned int irq)
{
	return rtl_free_irq(irq);
}

/* --- sigaction(): the handler of a signal gets its number */

/* Valid while signal_handler_run() is the handler of the line. */
static struct {
	struct sigaction action;
	int signal; /* number that sigaction() was called with */
} of_signals[NR_IRQS];

/* The handler can free the line or install another handler. SA_ONESHOT frees the line before the handler runs. */
static unsigned int signal_handler_run(unsigned int irq, struct pt_regs *registers)
{
	const struct sigaction action = of_signals[irq].action;

	(void)registers;
	if ((unsigned int)action.sa_flags & SA_ONESHOT)
		rtl_free_irq(irq);
	action.sa_handler(of_signals[irq].signal);
	return 0;
}

static void signal_set(unsigned int irq, int signal, const struct sigaction *action)
{
	of_signals[irq].action = *action;
	of_signals[irq].action.owner = rtlinux_self();
	of_signals[irq].signal = signal;
}

static int signal_request(unsigned int irq, int signal, const struct sigaction *action)
{
	if (action->sa_handler == SIG_DFL || action->sa_handler == SIG_IGN)
		return handlers[irq] ? rtl_free_irq(irq) : 0;
	if (handlers[irq]) {
		const unsigned long masked = rtlinux_mask();

		signal_set(irq, signal,
			   action); /* masked, so that the server does not read half of it */
		rtlinux_mask_set(masked);
		return 0;
	}
	signal_set(irq, signal, action);
	return request("sigaction", irq, signal_handler_run);
}

int rtlinux_line_action(unsigned int irq, int signal, const struct sigaction *action,
			struct sigaction *old)
{
	const bool ours = handlers[irq] == signal_handler_run;
	const struct sigaction before = ours ? of_signals[irq].action
					     : (struct sigaction){ .sa_handler = SIG_DFL };
	int status = 0;

	if (action)
		status = handlers[irq] && !ours ? -EBUSY : signal_request(irq, signal, action);
	if (old && !status)
		*old = before;
	return status;
}

/* --- interrupts of Linux: the handler runs in the Linux context, as Linux's handlers do after those of RTLinux */

static struct {
	struct tq_struct task; /* not queued, or until the handler runs */
	void (*handler)(int irq, void *device, struct pt_regs *registers);
	void *device;
} of_linux[NR_IRQS];

static void linux_handler_run(void *number)
{
	const unsigned int irq = (unsigned int)(unsigned long)number;

	if (of_linux[irq].handler)
		of_linux[irq].handler((int)irq, of_linux[irq].device, NULL);
	rtl_hard_enable_irq(irq);
}

static unsigned int linux_handler_queue(unsigned int irq, struct pt_regs *registers)
{
	(void)registers;
	rtlinux_defer(&of_linux[irq].task);
	return 0;
}

int request_irq(unsigned int irq, void (*handler)(int, void *, struct pt_regs *),
		unsigned long flags, const char *name, void *device)
{
	INSIDE;

	(void)flags;
	(void)name;
	if (irq >= NR_IRQS || !handler)
		return -EINVAL;
	if (handlers[irq])
		return -EBUSY;
	of_linux[irq].task.routine = linux_handler_run;
	of_linux[irq].task.data = (void *)(unsigned long)irq;
	of_linux[irq].device = device;
	of_linux[irq].handler = handler;
	return request("request_irq", irq, linux_handler_queue);
}

void free_irq(unsigned int irq, void *device)
{
	INSIDE;

	(void)device;
	if (irq >= NR_IRQS || handlers[irq] != linux_handler_queue)
		return;
	rtl_free_irq(irq);
	of_linux[irq].handler = NULL; /* it can be queued */
}

/* --- acknowledgements */

void rtl_hard_enable_irq(unsigned int irq)
{
	INSIDE;

	interrupts_acknowledge(irq);
}

/* A line that has raised an interrupt is disabled until it is enabled again, if it is level-triggered. */
void rtl_hard_disable_irq(unsigned int irq)
{
	(void)irq;
}
