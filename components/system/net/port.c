// SPDX-License-Identifier: BSD-2-Clause
/* Functions of a C library that lwIP needs and the runtime does not have. */
#include <runtime/print.h>

#include <lwip/arch.h>

_Noreturn void port_assert(const char *text)
{
	limpet_print("lwIP: %s\n", text);
	__builtin_trap();
}

/* Returns the 16-bit sum in one's complement, in memory order, as inet_chksum.c expects it. */
uint16_t port_checksum(const void *data, int length)
{
	const char *at = data;
	uint64_t sum = 0;

	for (; length >= 16; length -= 16, at += 16) {
		uint32_t part[4];

		__builtin_memcpy(part, at, sizeof(part));
		sum += (uint64_t)part[0] + part[1] + part[2] + part[3];
	}
	for (; length >= 2; length -= 2, at += 2) {
		uint16_t part;

		__builtin_memcpy(&part, at, sizeof(part));
		sum += part;
	}
	if (length > 0)
		sum += *(const uint8_t *)at;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

#ifndef LIMPET_FAKE_KERNEL

int strncmp(const char *a, const char *b, size_t size)
{
	for (; size && *a && *a == *b; size--)
		a++, b++;
	return size ? (unsigned char)*a - (unsigned char)*b : 0;
}

/* Reads the number in an interface name such as "ne0": decimal, without a sign. */
long strtol(const char *text, char **end, int base)
{
	long value = 0;

	for (; *text >= '0' && *text <= '9' && value < 0x7fffffff; text++)
		value = value * base + (*text - '0');
	if (end)
		*end = (char *)text;
	return value;
}

#endif
