/* SPDX-License-Identifier: BSD-2-Clause */
/* FreeRTOS's port to a component of Limpet: types and macros that FreeRTOS's kernel requires. See README.md. */
#ifndef PORTMACRO_H
#define PORTMACRO_H

#include <stdint.h>

typedef uint64_t StackType_t;
typedef long BaseType_t;
typedef unsigned long UBaseType_t;
typedef unsigned long TickType_t; /* 64 bits: never overflows, and is read in one instruction */

/* Names of types that older programs use. */
#define portBASE_TYPE long
#define portCHAR char
#define portSHORT short
#define portLONG long
#define portFLOAT float
#define portDOUBLE double

#define portMAX_DELAY ((TickType_t)UINT64_MAX)
#define portTICK_TYPE_IS_ATOMIC 1
#define portPOINTER_SIZE_TYPE uintptr_t
#define portSTACK_GROWTH (-1)
#define portBYTE_ALIGNMENT 16
#define portTICK_PERIOD_MS ((TickType_t)1000 / configTICK_RATE_HZ)
#define portMEMORY_BARRIER() __asm volatile("" : : : "memory")
#define portTASK_FUNCTION_PROTO(function, parameters) void function(void *parameters)
#define portTASK_FUNCTION(function, parameters) void function(void *parameters)

/* Masks the port's interrupts. Other components are not delayed. Returns whether interrupts were masked before. */
UBaseType_t uxPortMaskInterrupts(void);
/* Unmasks interrupts if `was_masked` is 0. Handles interrupts that arrived meanwhile before it returns. */
void vPortRestoreInterrupts(UBaseType_t was_masked);

/* The kernel counts nested critical sections for each task. */
#define portCRITICAL_NESTING_IN_TCB 1
void vTaskEnterCritical(void);
void vTaskExitCritical(void);
#define portENTER_CRITICAL() vTaskEnterCritical()
#define portEXIT_CRITICAL() vTaskExitCritical()
#define portDISABLE_INTERRUPTS() ((void)uxPortMaskInterrupts())
#define portENABLE_INTERRUPTS() vPortRestoreInterrupts(0)
#define portSET_INTERRUPT_MASK_FROM_ISR() uxPortMaskInterrupts()
#define portCLEAR_INTERRUPT_MASK_FROM_ISR(was_masked) vPortRestoreInterrupts(was_masked)

/* Runs the task that the kernel chooses. Context: a task. */
void vPortYield(void);
#define portYIELD() vPortYield()
/* The same at the end of the interrupt that is being handled. Context: an interrupt. */
void vPortYieldFromISR(BaseType_t wanted);
#define portYIELD_FROM_ISR(wanted) vPortYieldFromISR(wanted)
#define portEND_SWITCHING_ISR(wanted) vPortYieldFromISR(wanted)

/*
 * Waits, on behalf of all tasks, until an interrupt has been handled. Context: a task. With configUSE_TICKLESS_IDLE = 1, the
 * idle task calls it when no other task is ready, and the processor is free for other threads of the system.
 */
void vPortWaitForInterrupt(void);
#define portSUPPRESS_TICKS_AND_SLEEP(idle_ticks) ((void)(idle_ticks), vPortWaitForInterrupt())

/* Returns the time in microseconds, for FreeRTOS's run-time statistics. */
unsigned long ulPortGetRunTime(void);
#define portCONFIGURE_TIMER_FOR_RUN_TIME_STATS()
#define portGET_RUN_TIME_COUNTER_VALUE() ulPortGetRunTime()

#define portINTERRUPTS 64
/*
 * Raises interrupt `number`, 0 to 63. The tasks' thread calls vApplicationInterrupt(number) when interrupts are unmasked.
 * Raising it again before it is handled has no effect. Context: a thread of the component that runs no task and has the
 * component's priority, such as a thread that waits for a channel. Cost: one kernel call, or two.
 */
void vPortRaiseInterrupt(unsigned int number);
/* Supplied by the application if it uses interrupts. May call FreeRTOS's functions whose names end in FromISR. */
void vApplicationInterrupt(unsigned int number);

#endif
