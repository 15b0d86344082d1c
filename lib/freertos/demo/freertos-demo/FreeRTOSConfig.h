/* SPDX-License-Identifier: BSD-2-Clause */
/* The configuration of the POSIX port's demo, with stacks of this port. */
#ifndef DEMO_CONFIG_H
#define DEMO_CONFIG_H

#include_next <FreeRTOSConfig.h>

#undef configMINIMAL_STACK_SIZE
#define configMINIMAL_STACK_SIZE 1024 /* words */
#undef configTOTAL_HEAP_SIZE
#define configTOTAL_HEAP_SIZE ((size_t)1 << 20)
#define configUSE_TICKLESS_IDLE 1

#endif
