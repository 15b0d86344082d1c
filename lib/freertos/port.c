// SPDX-License-Identifier: BSD-2-Clause
/*
 * FreeRTOS's port to a component of Limpet. All tasks run on one thread of the component, each on its own stack. Interrupts
 * come from other threads of the component, which are more important than the tasks' thread: one for the tick, and those that
 * call vPortRaiseInterrupt(). An interrupt diverts the tasks' thread to port_interrupt. Interrupts are masked by a variable.
 *
 * The tasks' thread stands still while another thread of the component looks at the port, because all are on one CPU. So
 * the port has no locks.
 */
#include <runtime/component.h>
#include <runtime/kernel_call.h>
#include <runtime/time.h>

#include <import/sched.h>

#include <FreeRTOS.h>
#include <task.h>

#define MXCSR_DEFAULT 0x1f80ull
#define X87_DEFAULT 0x37full
#define SAVED_WORDS 8 /* of a task, by port_switch() */
#define TICK_US_MIN 20
#define TICK_US_MAX 1000000

void port_switch(StackType_t **from, StackType_t *to);
void port_start(void);
void port_run(TaskFunction_t code, void *parameters);
void port_interrupt(void);
void port_handle(void);

word port_interrupted; /* where the tasks' thread was when it was diverted */

static volatile bool masked = true;
static volatile bool waiting;  /* the tasks' thread waits in the scheduler for an interrupt */
static volatile bool stopping; /* the tick thread has to end */
static bool yield_wanted;
static uint64_t ticks, raised; /* that are to be handled; changed atomically */
static unsigned int tasks_thread;
static long tick_thread;
static StackType_t *starter; /* stack of the caller of vTaskStartScheduler() */

/* The first word of a task's control block is its saved stack pointer. */
extern StackType_t **volatile pxCurrentTCB;

/* Supplied by the application, if it uses interrupts of its own. */
__attribute__((weak)) void vApplicationInterrupt(unsigned int number)
{
	(void)number;
}

/* Chooses a task and continues it. With interrupts masked; returns when the calling task is continued. */
static void task_switch(void)
{
	StackType_t **from = pxCurrentTCB;

	vTaskSwitchContext();
	if (pxCurrentTCB != from)
		port_switch(from, *pxCurrentTCB);
}

static bool interrupt_is_pending(void)
{
	return __atomic_load_n(&ticks, __ATOMIC_RELAXED) ||
	       __atomic_load_n(&raised, __ATOMIC_RELAXED);
}

/* Handles the interrupts that are pending. With interrupts masked, on the stack of the task that was interrupted. */
static void interrupts_handle(void)
{
	uint64_t numbers = __atomic_exchange_n(&raised, 0, __ATOMIC_RELAXED);

	for (uint64_t n = __atomic_exchange_n(&ticks, 0, __ATOMIC_RELAXED); n; n--)
		vPortYieldFromISR(xTaskIncrementTick());
	for (; numbers; numbers &= numbers - 1)
		vApplicationInterrupt((unsigned int)__builtin_ctzl(numbers));
	if (yield_wanted) {
		yield_wanted = false;
		task_switch();
	}
}

UBaseType_t uxPortMaskInterrupts(void)
{
	const bool was_masked = masked;

	masked = true;
	portMEMORY_BARRIER();
	return was_masked;
}

/* An interrupt between the two accesses to `masked` is handled there, and nothing is pending then. */
void vPortRestoreInterrupts(UBaseType_t was_masked)
{
	if (was_masked)
		return;
	do {
		if (interrupt_is_pending()) {
			masked = true;
			interrupts_handle();
		}
		portMEMORY_BARRIER();
		masked = false;
	} while (interrupt_is_pending());
}

/* Called by port_interrupt. */
void port_handle(void)
{
	interrupts_handle();
	vPortRestoreInterrupts(false);
}

void vPortYield(void)
{
	const UBaseType_t was_masked = uxPortMaskInterrupts();

	task_switch();
	vPortRestoreInterrupts(was_masked);
}

void vPortYieldFromISR(BaseType_t wanted)
{
	yield_wanted |= wanted != pdFALSE;
}

void vPortWaitForInterrupt(void)
{
	const UBaseType_t was_masked = uxPortMaskInterrupts();

	/* Before the look, so that a later interrupt keeps a wake-up for sched_block(). */
	waiting = true;
	while (!interrupt_is_pending())
		sched_block();
	waiting = false;
	vPortRestoreInterrupts(was_masked);
}

/*
 * Has pending interrupts handled. Context: another thread than the tasks', above it. If the tasks' thread executes in
 * another component, the interrupts stay pending until it allows interrupts or until the next tick.
 */
static void interrupt_request(void)
{
	struct limpet_out out = { 0 };
	long status;

	if (waiting)
		sched_wake(tasks_thread);
	if (masked)
		return;
	masked = true;
	do {
		port_interrupted = out.w0;
		status = limpet_call_thread_divert(tasks_thread, port_interrupted,
						   (word)port_interrupt, &out);
	} while (status == LIMPET_EAGAIN);
	if (status < 0)
		masked = false;
}

void vPortRaiseInterrupt(unsigned int number)
{
	__atomic_fetch_or(&raised, 1ull << number % portINTERRUPTS, __ATOMIC_RELAXED);
	interrupt_request();
}

/* The tick thread. A release that comes late counts the ticks of the releases that were missed. */
static word tick_run(word period)
{
	word due, last;

	sched_periodic(period, 0);
	sched_periodic_wait(&last);
	while (!stopping && sched_periodic_wait(&due) >= 0) {
		__atomic_fetch_add(&ticks, (due - last) / period, __ATOMIC_RELAXED);
		last = due;
		interrupt_request();
	}
	return 0;
}

unsigned long ulPortGetRunTime(void)
{
	return limpet_ticks_to_ns(limpet_time()) / 1000;
}

BaseType_t xPortStartScheduler(void)
{
	const long priority = sched_priority(0, 0);
	const int64_t usual = 1000000 / configTICK_RATE_HZ;
	const int64_t us = limpet_arg_number(limpet_info(), "tick-us", usual);
	const word period = limpet_us_to_ticks((uint64_t)us);

	tasks_thread = (unsigned int)sched_thread_id();
	stopping = false;
	if (us < TICK_US_MIN || us > TICK_US_MAX || priority < 2)
		return pdFAIL;
	if (sched_priority(0, (word)priority - 1) < 0)
		return pdFAIL;
	tick_thread = sched_create((word)tick_run, period, (word)priority);
	if (tick_thread < 0)
		return pdFAIL;
	port_switch(&starter, *pxCurrentTCB);
	return pdPASS; /* vPortEndScheduler() */
}

void vPortEndScheduler(void)
{
	word value;
	StackType_t *ended;

	uxPortMaskInterrupts();
	stopping = true;
	sched_join((word)tick_thread, LIMPET_NEVER, &value);
	sched_priority(0, (word)sched_priority(0, 0) + 1);
	port_switch(&ended, starter);
}

/* The stack looks as if port_switch() had saved it: MXCSR and the x87 control word, r15 to r12, rbx, rbp, address. */
StackType_t *pxPortInitialiseStack(StackType_t *top, TaskFunction_t code, void *parameters)
{
	StackType_t *stack = (StackType_t *)((uintptr_t)top & ~(uintptr_t)(portBYTE_ALIGNMENT - 1));

	stack -= SAVED_WORDS;
	for (unsigned int i = 0; i < SAVED_WORDS; i++)
		stack[i] = 0;
	stack[0] = X87_DEFAULT << 32 | MXCSR_DEFAULT;
	stack[3] = (StackType_t)parameters; /* r13 */
	stack[4] = (StackType_t)code;	    /* r12 */
	stack[SAVED_WORDS - 1] = (StackType_t)port_start;
	return stack;
}

/* Called by port_start in a new task. A task must not return. */
void port_run(TaskFunction_t code, void *parameters)
{
	vPortRestoreInterrupts(false);
	code(parameters);
	configASSERT(pdFALSE);
}
