// SPDX-License-Identifier: BSD-2-Clause
/* The functions of a C library that the demo uses. Only tasks call them. */
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

/* Interrupts are masked during the call of the log, because tasks cannot be switched in another component. */
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
	printf("Error: exit(%d)\n", status);
	__builtin_trap();
}

/* Waits for the next interrupt. The idle task sleeps with it; on POSIX a signal ends this sleep. */
int nanosleep(const struct timespec *time, struct timespec *left)
{
	(void)time;
	(void)left;
	vPortWaitForInterrupt();
	return 0;
}

/* The example of the C standard. */
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
