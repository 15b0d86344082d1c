/* SPDX-License-Identifier: BSD-2-Clause */
/* Describes the compiler and the platform for lwIP. */
#ifndef ARCH_CC_H
#define ARCH_CC_H

#include <stdint.h>
#include <stddef.h>

#define LWIP_NO_INTTYPES_H 1
#define LWIP_NO_LIMITS_H 1
#define LWIP_NO_CTYPE_H 1
#define LWIP_NO_UNISTD_H 1
#define INT_MAX __INT_MAX__
#define SSIZE_MAX __LONG_MAX__
#define X8_F "02x"
#define U16_F "u"
#define S16_F "d"
#define X16_F "x"
#define U32_F "u"
#define S32_F "d"
#define X32_F "x"
#define SZT_F "lu"

typedef long ssize_t;

/* Returns a random number. It cannot be guessed from earlier ones if the processor has RDRAND. */
uint32_t port_random(void);
#define LWIP_RAND() port_random()

uint16_t port_checksum(const void *data, int length);
#define LWIP_CHKSUM port_checksum

/* A failed assertion in lwIP is a fault of the component. */
_Noreturn void port_assert(const char *text);
#define LWIP_PLATFORM_ASSERT(text) port_assert(text)
#define LWIP_PLATFORM_DIAG(text)

#endif
