// SPDX-License-Identifier: BSD-2-Clause
/* Only has the functions that the compiler emits for the components under test. */
#include <stdint.h>
#include <stddef.h>

#include "points.h"

#define POINT(name)                                                                                \
	void __tsan_##name(const void *address);                                                   \
	void __tsan_##name(const void *address)                                                    \
	{                                                                                          \
		(void)address;                                                                     \
		fake_point();                                                                      \
	}
POINT(read1)
POINT(read2)
POINT(read4)
POINT(read8)
POINT(read16)
POINT(write1)
POINT(write2)
POINT(write4)
POINT(write8)
POINT(write16)
POINT(unaligned_read2)
POINT(unaligned_write2)
POINT(func_entry)

void __tsan_init(void);
void __tsan_init(void)
{
}

void __tsan_func_exit(void);
void __tsan_func_exit(void)
{
}

#define RANGE(name)                                                                                \
	void __tsan_##name##_range(const void *address, size_t size);                              \
	void __tsan_##name##_range(const void *address, size_t size)                               \
	{                                                                                          \
		(void)address;                                                                     \
		(void)size;                                                                        \
		fake_point();                                                                      \
	}
RANGE(read)
RANGE(write)

/* Atomic operations, which the hook executes itself. */
#define ATOMIC(bits)                                                                               \
	uint##bits##_t __tsan_atomic##bits##_load(const uint##bits##_t *at, int order);            \
	uint##bits##_t __tsan_atomic##bits##_load(const uint##bits##_t *at, int order)             \
	{                                                                                          \
		(void)order;                                                                       \
		fake_point();                                                                      \
		return *(const volatile uint##bits##_t *)at;                                       \
	}                                                                                          \
	void __tsan_atomic##bits##_store(uint##bits##_t *at, uint##bits##_t value, int order);     \
	void __tsan_atomic##bits##_store(uint##bits##_t *at, uint##bits##_t value, int order)      \
	{                                                                                          \
		(void)order;                                                                       \
		fake_point();                                                                      \
		*(volatile uint##bits##_t *)at = value;                                            \
	}                                                                                          \
	int __tsan_atomic##bits##_compare_exchange_strong(uint##bits##_t *at, uint##bits##_t *old, \
							  uint##bits##_t new, int order,           \
							  int otherwise);                          \
	int __tsan_atomic##bits##_compare_exchange_strong(uint##bits##_t *at, uint##bits##_t *old, \
							  uint##bits##_t new, int order,           \
							  int otherwise)                           \
	{                                                                                          \
		(void)order;                                                                       \
		(void)otherwise;                                                                   \
		fake_point();                                                                      \
		return __atomic_compare_exchange_n(at, old, new, 0, 5, 5);                         \
	}

#define ATOMIC_UPDATE(bits, name)                                                                  \
	uint##bits##_t __tsan_atomic##bits##_##name(uint##bits##_t *at, uint##bits##_t value,      \
						    int order);                                    \
	uint##bits##_t __tsan_atomic##bits##_##name(uint##bits##_t *at, uint##bits##_t value,      \
						    int order)                                     \
	{                                                                                          \
		(void)order;                                                                       \
		fake_point();                                                                      \
		return __atomic_##name(at, value, 5);                                              \
	}

ATOMIC(32)
ATOMIC(64)

#define ATOMIC_EXCHANGE(bits)                                                                      \
	uint##bits##_t __tsan_atomic##bits##_exchange(uint##bits##_t *at, uint##bits##_t value,    \
						      int order);                                  \
	uint##bits##_t __tsan_atomic##bits##_exchange(uint##bits##_t *at, uint##bits##_t value,    \
						      int order)                                   \
	{                                                                                          \
		(void)order;                                                                       \
		fake_point();                                                                      \
		return __atomic_exchange_n(at, value, 5);                                          \
	}

ATOMIC_EXCHANGE(32)
ATOMIC_EXCHANGE(64)
ATOMIC_UPDATE(32, fetch_add)
ATOMIC_UPDATE(32, fetch_sub)
ATOMIC_UPDATE(64, fetch_add)
ATOMIC_UPDATE(64, fetch_sub)
ATOMIC_UPDATE(64, fetch_or)
ATOMIC_UPDATE(64, fetch_and)
