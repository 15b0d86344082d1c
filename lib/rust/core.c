// SPDX-License-Identifier: BSD-2-Clause
/* Gives inline functions of the runtime a symbol for Rust. lib.rs and time.rs declare them. */
#include <runtime/component.h>
#include <runtime/memory.h>
#include <runtime/time.h>

const char *limpet_rust_name(const struct limpet_info *info)
{
	return info->name;
}

uint32_t limpet_rust_index(const struct limpet_info *info)
{
	return info->index;
}

const struct limpet_info *limpet_rust_info(void)
{
	return limpet_info();
}

uint64_t limpet_rust_ticks_per_ms(void)
{
	return limpet_info()->ticks_per_ms;
}

/* Returns the address of the component's heap and sets its size. */
uint64_t limpet_rust_heap(uint64_t *size)
{
	*size = limpet_info()->heap_size;
	return limpet_info()->heap;
}

uint64_t limpet_rust_time(void)
{
	return limpet_time();
}

uint32_t limpet_rust_thread_id(void)
{
	return limpet_thread_id();
}

/* LLVM may call these two functions, which neither the runtime nor libgcc has. */

int bcmp(const void *a, const void *b, size_t size)
{
	return memcmp(a, b, size);
}

__int128 __muloti4(__int128 a, __int128 b, int *overflow)
{
	__int128 product;

	*overflow = __builtin_mul_overflow(a, b, &product);
	return product;
}
