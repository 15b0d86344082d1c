// SPDX-License-Identifier: BSD-2-Clause
/* Starts the full demo of FreeRTOS's POSIX port, and IntQueue. */
#include <runtime/component.h>
#include <runtime/print.h>
#include <runtime/time.h>

#include <import/sched.h>

#include <FreeRTOS.h>
#include <task.h>

#include "IntQueue.h"
#include "IntQueueTimer.h"

#define INTERRUPTS 27 /* of IntQueue in ten ticks */

int main_full(void);

static volatile bool interrupts_run;

/* Checks IntQueue, which the demo does not check, and ends the demo. Runs as often as the demo's own check. */
static void queues_check(void *checks)
{
	TickType_t last = xTaskGetTickCount();

	for (uintptr_t n = 1;; n++) {
		vTaskDelayUntil(&last, pdMS_TO_TICKS(10000));
		taskENTER_CRITICAL();
		if (xAreIntQueueTasksStillRunning() != pdTRUE)
			limpet_print("Error: IntQueue\n");
		else
			limpet_print("IntQueue: OK, %lu tasks\n", uxTaskGetNumberOfTasks());
		taskEXIT_CRITICAL();
		vTaskDelay(1); /* lets the demo's own check print its line */
		if (n == (uintptr_t)checks)
			vTaskEndScheduler();
	}
}

/* Raises the interrupts 0 and 1 of IntQueue in turn. Runs in its own thread. */
static word interrupts_raise(word period)
{
	word due;

	sched_periodic(period, 0);
	for (unsigned int number = 0; interrupts_run; number = !number) {
		sched_periodic_wait(&due);
		vPortRaiseInterrupt(number);
	}
	return 0;
}

void vApplicationInterrupt(unsigned int number)
{
	portYIELD_FROM_ISR(number ? xSecondTimerHandler() : xFirstTimerHandler());
}

void vInitialiseTimerForIntQueueTest(void)
{
	const uint64_t us = (uint64_t)limpet_arg_number(limpet_info(), "tick-us", 1000);
	const word period = limpet_us_to_ticks(us * 10) / INTERRUPTS;
	long thread = 0;

	taskENTER_CRITICAL();
	if (!interrupts_run) {
		interrupts_run = true;
		thread = sched_create((word)interrupts_raise, period,
				      (word)sched_priority(0, 0) + 1);
	}
	taskEXIT_CRITICAL();
	configASSERT(thread >= 0);
}

void component_main(const struct limpet_info *info)
{
	const uintptr_t checks = (uintptr_t)limpet_arg_number(info, "checks", 0);

	vStartInterruptQueueTasks();
	xTaskCreate(queues_check, "IntCheck", configMINIMAL_STACK_SIZE, (void *)checks,
		    configMAX_PRIORITIES - 2, NULL);
	main_full();
	interrupts_run = false;
	limpet_print("the scheduler of FreeRTOS has ended\n");
}
