/* SPDX-License-Identifier: BSD-2-Clause */
/* The tick rate is 1 kHz. The idle task never sleeps, because it has no hook. */
#ifndef TASKS_CONFIG_H
#define TASKS_CONFIG_H

#include <limits.h>

#define configUSE_PREEMPTION 1
#define configUSE_IDLE_HOOK 0
#define configUSE_TICK_HOOK 0
#define configTICK_RATE_HZ 1000
#define configMAX_PRIORITIES 4
#define configMINIMAL_STACK_SIZE ((unsigned short)PTHREAD_STACK_MIN)
#define configMAX_TASK_NAME_LEN 16
#define configTICK_TYPE_WIDTH_IN_BITS TICK_TYPE_WIDTH_64_BITS
#define configSUPPORT_DYNAMIC_ALLOCATION 1
#define configCHECK_FOR_STACK_OVERFLOW 0
#define INCLUDE_vTaskDelay 1
#define INCLUDE_vTaskDelete 1

#include <assert.h>
#define configASSERT(x) assert(x)

#endif
