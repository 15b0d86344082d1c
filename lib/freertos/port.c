// SPDX-License-Identifier: BSD-2-Clause
/*
 * FreeRTOS's port to a component of Limpet. All tasks run on one thread of the component, each on its own stack. Interrupts
 * come from other threads of the component with a higher priority: the tick thread, and threads that call
 * vPortRaiseInterrupt(). An interrupt diverts the tasks' thread to port_interrupt. A variable masks interrupts.
 *
 * The port has no locks. All threads of the component are on one CPU, so the tasks' thread does not run while another thread
 * of the component reads or changes the state of the port.
 */
#include <runtime/component.h>
#include <runtime/divert.h>
#include <runtime/time.h>

#include <import/sched.h>

#include <FreeRTOS.h>
#include <task.h>

#define MXCSR_DEFAULT 0x1f80ull
#define X87_DEFAULT 0x37full
#define SAVED_WORDS 8 /* that port_switch() saves of a task */
#define TICK_US_MIN 20
#define TICK_US_MAX 1000000

void port_switch(StackType_t **from, StackType_t *to);
void port_start(void);
void port_run(TaskFunction_t code, void *parameters);
void port_interrupt(void);
word port_handle(void);

static word interrupted; /* address from which the tasks' thread was diverted */

static volatile bool masked = true;
static volatile bool waiting;  /* the tasks' thread waits in the scheduler for an interrupt */
static volatile bool stopping; /* the tick thread must end */
static bool yield_wanted;
static uint64_t ticks;	/* number of pending ticks; changed atomically */
static uint64_t raised; /* bits of pending interrupts; changed atomically */
static unsigned int tasks_thread;
static long tick_thread;
static StackType_t *starter; /* stack of the caller of vTaskStartScheduler() */

/* The first word of a task's control block is its saved stack pointer. */
extern StackType_t **volatile pxCurrentTCB;

/* The default, for applications without interrupts. */
__attribute__((weak)) void vApplicationInterrupt(unsigned int number)
{
	(void)number;
}

/* Continues the task that FreeRTOS chooses. Returns when the calling task is continued. Interrupts must be masked. */
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

/* Handles all pending interrupts. Interrupts must be masked. Runs on the stack of the interrupted task. */
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

/*
 * An interrupt before `masked` is cleared stays pending, and the loop handles it. A later one diverts the thread, and is
 * handled when the loop looks for pending interrupts.
 */
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

/*
 * Handles interrupts in the tasks' thread. Called by port_interrupt. Returns the address at which the interrupted task
 * continues. Other tasks can be interrupted before.
 */
word port_handle(void)
{
	const word address = interrupted;

	interrupts_handle();
	vPortRestoreInterrupts(false);
	return address;
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

	/* Set before the check, so that the wake-up of a later interrupt ends sched_block(). */
	waiting = true;
	while (!interrupt_is_pending())
		sched_block();
	waiting = false;
	vPortRestoreInterrupts(was_masked);
}

/*
 * Makes the tasks' thread handle pending interrupts. Context: a thread with a higher priority than the tasks' thread. If the
 * tasks' thread executes in another component, the interrupts stay pending until it unmasks interrupts or until the next
 * tick.
 */
static void interrupt_request(void)
{
	if (waiting)
		sched_wake(tasks_thread);
	if (masked)
		return;
	masked = true;
	if (!limpet_thread_divert(tasks_thread, &interrupted, port_interrupt))
		masked = false;
}

void vPortRaiseInterrupt(unsigned int number)
{
	__atomic_fetch_or(&raised, 1ull << number % portINTERRUPTS, __ATOMIC_RELAXED);
	interrupt_request();
}

/* Counts and delivers ticks in the tick thread. A late release also counts the ticks of missed releases. */
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

/*
 * Prepares the stack of a new task for port_switch(): MXCSR and the x87 control word, r15 to r12, rbx, rbp, and the address
 * at which the task starts.
 */
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

/* Runs a new task. Called by port_start. A task must not return. */
void port_run(TaskFunction_t code, void *parameters)
{
	vPortRestoreInterrupts(false);
	code(parameters);
	configASSERT(pdFALSE);
}
