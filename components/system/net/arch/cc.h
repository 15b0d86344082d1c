/* SPDX-License-Identifier: BSD-2-Clause */
/* What lwIP wants to know of the compiler and of where it runs. */
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

/* A random number that nobody can guess from others, if the processor has some. */
uint32_t port_random(void);
#define LWIP_RAND() port_random()

uint16_t port_checksum(const void *data, int length);
#define LWIP_CHKSUM port_checksum

/* A wrong step of lwIP's or of its user is a fault of the component. */
_Noreturn void port_assert(const char *text);
#define LWIP_PLATFORM_ASSERT(text) port_assert(text)
#define LWIP_PLATFORM_DIAG(text)

#endif
