// SPDX-License-Identifier: BSD-2-Clause
/* The functions that FreeRTOS's kernel and its demo expect of an application. */
#include <stdio.h>

#include <FreeRTOS.h>
#include <task.h>

void vFullDemoIdleFunction(void);
void vFullDemoTickHookFunction(void);

StackType_t uxTimerTaskStack[configTIMER_TASK_STACK_DEPTH];

void vApplicationIdleHook(void)
{
	vFullDemoIdleFunction();
}

void vApplicationTickHook(void)
{
	vFullDemoTickHookFunction();
}

void vApplicationDaemonTaskStartupHook(void)
{
}

void vAssertCalled(const char *file, unsigned long line)
{
	printf("Error: assertion in %s:%lu\n", file, line);
	__builtin_trap();
}

void vApplicationMallocFailedHook(void)
{
	vAssertCalled("heap", 0);
}

void vApplicationGetIdleTaskMemory(StaticTask_t **task, StackType_t **stack,
				   configSTACK_DEPTH_TYPE *size)
{
	static StaticTask_t idle;
	static StackType_t idle_stack[configMINIMAL_STACK_SIZE];

	*task = &idle;
	*stack = idle_stack;
	*size = configMINIMAL_STACK_SIZE;
}

void vApplicationGetTimerTaskMemory(StaticTask_t **task, StackType_t **stack,
				    configSTACK_DEPTH_TYPE *size)
{
	static StaticTask_t timer;

	*task = &timer;
	*stack = uxTimerTaskStack;
	*size = configTIMER_TASK_STACK_DEPTH;
}
