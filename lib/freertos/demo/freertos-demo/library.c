// SPDX-License-Identifier: BSD-2-Clause
/* Functions of a C library that the demo calls. Each is called by a task. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <runtime/format.h>
#include <runtime/print.h>

#include <FreeRTOS.h>
#include <task.h>

int sprintf(char *to, const char *format, ...)
{
	va_list values;
	size_t length;

	va_start(values, format);
	length = limpet_vformat(to, LIMPET_PRINT_MAX, format, values);
	va_end(values);
	return (int)length;
}

/* While another component has the thread, no task can run. */
int printf(const char *format, ...)
{
	char text[LIMPET_PRINT_MAX];
	va_list values;
	size_t length;

	va_start(values, format);
	length = limpet_vformat(text, sizeof(text), format, values);
	va_end(values);
	taskENTER_CRITICAL();
	limpet_write(text, length < sizeof(text) ? length : sizeof(text) - 1);
	taskEXIT_CRITICAL();
	return (int)length;
}

void exit(int status)
{
	(void)status;
	vAssertCalled("exit", 0);
	for (;;)
		vPortWaitForInterrupt();
}

/* The idle task sleeps by this. A signal ends it on POSIX, and an interrupt here. */
int nanosleep(const struct timespec *time, struct timespec *left)
{
	(void)time;
	(void)left;
	vPortWaitForInterrupt();
	return 0;
}

/* As in the C standard's example. */
int rand(void)
{
	static unsigned long next = 1;

	next = next * 1103515245 + 12345;
	return (int)(next / 65536 % 32768);
}

double fabs(double value)
{
	return value < 0 ? -value : value;
}
