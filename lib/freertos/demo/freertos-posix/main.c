// SPDX-License-Identifier: BSD-2-Clause
/*
 * A task sends numbers through a queue, one every two ticks. A task of higher priority receives and checks them. The idle
 * task computes at the lowest priority, so the program works only if signals interrupt a thread that computes.
 */
#include <stdio.h>
#include <stdlib.h>

#include <FreeRTOS.h>
#include <queue.h>
#include <task.h>

#define NUMBERS 200
#define PAUSE 2 /* ticks */
#define LENGTH 4
#define SENDER_PRIORITY 1
#define RECEIVER_PRIORITY 2

static QueueHandle_t queue;
static int wrong;

static void numbers_send(void *argument)
{
	(void)argument;
	for (unsigned int i = 0;; i++) {
		vTaskDelay(PAUSE);
		if (xQueueSend(queue, &i, portMAX_DELAY) != pdPASS)
			wrong++;
	}
}

static void numbers_receive(void *argument)
{
	TickType_t before = xTaskGetTickCount(), took;

	(void)argument;
	for (unsigned int i = 0, got; i < NUMBERS; i++)
		if (xQueueReceive(queue, &got, portMAX_DELAY) != pdPASS || got != i)
			wrong++;
	took = xTaskGetTickCount() - before;
	printf("%d numbers, %d wrong, %s\n", NUMBERS, wrong,
	       took >= NUMBERS * PAUSE ? "not before their time" : "too early");
	vTaskEndScheduler();
}

int main(void)
{
	queue = xQueueCreate(LENGTH, sizeof(unsigned int));
	if (!queue ||
	    xTaskCreate(numbers_send, "send", configMINIMAL_STACK_SIZE, NULL, SENDER_PRIORITY,
			NULL) != pdPASS ||
	    xTaskCreate(numbers_receive, "receive", configMINIMAL_STACK_SIZE, NULL,
			RECEIVER_PRIORITY, NULL) != pdPASS)
		return 1;
	vTaskStartScheduler();
	printf("the scheduler has ended\n");
	return 0;
}
