// SPDX-License-Identifier: BSD-2-Clause
/*
 * Has 64 KiB of data, a sum that depends on them, a counter of a thread, and faults of all kinds.
 * After a crash the data must come from the checkpoint, or from the initialisation.
 */
#include <runtime/component.h>
#include <runtime/time.h>

#include <export/fragile.h>
#include <import/heartbeat.h>
#include <import/sched.h>

#include "fragile.h"

#define WORDS 8192
#define FILLED 0x5bd1e9955bd1e995ul

static uint64_t data[WORDS] = { 1 };
static uint64_t sum, lives;
static uint64_t *indirect = data;

static uint64_t next(uint64_t *chance)
{
	*chance = *chance * 6364136223846793005ul + 1442695040888963407ul;
	return *chance >> 11 ^ *chance << 7;
}

/* Overwrites random parts of its own memory, which can include the pointer. */
static void scribble(uint64_t chance)
{
	for (unsigned int i = 0; i < 64; i++) {
		uint64_t where = next(&chance) % (WORDS + 3);

		if (where < WORDS)
			data[where] = next(&chance);
		else if (where == WORDS)
			indirect = (uint64_t *)next(&chance);
		else
			*(where == WORDS + 1 ? &sum : &lives) = next(&chance);
	}
}

/* Uses one page of stack for each level, until it reaches the unmapped page below the stack. */
static __attribute__((noinline)) uint64_t overflow(uint64_t depth)
{
	volatile char page[4096];

	page[0] = (char)depth;
	return depth ? overflow(depth + 1) + (uint64_t)page[0] : 0;
}

/* Returns an error if the data were overwritten. */
long fragile_serve_add(word badge, word value)
{
	(void)badge;
	heartbeat_beat();
	if (indirect[value % WORDS] != (value % WORDS ? FILLED : 1))
		return LIMPET_ESTATE;
	sum += value;
	return (long)(sum & INT32_MAX);
}

long fragile_serve_life(word badge)
{
	(void)badge;
	heartbeat_beat();
	return (long)(lives & INT32_MAX);
}

static void memory_wrong(word how, uint64_t chance)
{
	volatile uint64_t *wild = (uint64_t *)(next(&chance) % LIMPET_USER_END & ~7ul);

	switch (how) {
	case FRAGILE_READ_NULL:
		chance = *(volatile uint64_t *)(chance & 4088);
		break;
	case FRAGILE_WRITE_WILD:
		*wild = chance;
		break;
	case FRAGILE_WRITE_CODE:
		*(volatile uint64_t *)(uintptr_t)&fragile_serve_add = chance;
		break;
	case FRAGILE_NOT_CANONICAL:
		*(volatile uint64_t *)(1ul << 63 | chance >> 8) = chance;
		break;
	case FRAGILE_OVERFLOW:
		overflow(1);
		break;
	case FRAGILE_SCRIBBLE:
		scribble(chance);
		break;
	}
}

static void code_wrong(word how, uint64_t chance)
{
	switch (how) {
	case FRAGILE_CALL_NULL:
		((void (*)(void))(chance & 0xfff))();
		break;
	case FRAGILE_JUMP_WILD:
		((void (*)(void))(next(&chance) % LIMPET_USER_END))();
		break;
	case FRAGILE_LOOP:
		for (;;)
			asm volatile("");
	case FRAGILE_WAIT:
		sched_suspend();
		break;
	case FRAGILE_SLEEP:
		sched_sleep_until(limpet_time() + (1ul << 50));
		break;
	case FRAGILE_DIVIDE:
		asm volatile("divl %0" : : "r"(0), "a"(chance), "d"(0));
		break;
	case FRAGILE_INVALID:
		asm volatile("ud2");
		break;
	case FRAGILE_PRIVILEGED:
		asm volatile("hlt");
		break;
	case FRAGILE_SYSCALL:
		asm volatile("syscall" : : "a"(chance >> 1) : "rcx", "r11", "memory");
		break;
	case FRAGILE_REGISTERS:
		fragile_registers(next(&chance), next(&chance));
	}
}

long fragile_serve_crash(word badge, word how, word chance)
{
	(void)badge;
	if (how >= FRAGILE_WAYS)
		return LIMPET_ERANGE;
	memory_wrong(how, chance);
	code_wrong(how, chance);
	return LIMPET_OK;
}

void component_main(const struct limpet_info *info)
{
	int64_t us = limpet_arg_number(info, "period-us", 1000);
	word due;

	sched_periodic(limpet_us_to_ticks((uint64_t)(us < 100	    ? 100
						     : us > 1000000 ? 1000000
								    : us)),
		       0);
	for (;;) {
		sched_periodic_wait(&due);
		lives++;
	}
}

long component_init(const struct limpet_info *info)
{
	(void)info;
	for (unsigned int i = 1; i < WORDS; i++)
		data[i] = FILLED;
	return LIMPET_OK;
}
