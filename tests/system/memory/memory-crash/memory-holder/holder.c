// SPDX-License-Identifier: GPL-2.0
#include <runtime/component.h>

#include <export/pong.h>
#include <import/mem.h>

#include "../holder.h"

static uint64_t *memory;

static long check(void)
{
	long wrong = 0;

	for (uint64_t i = 0; memory && i < WORDS; i++)
		wrong += memory[i] != CONTENT(i);
	return memory ? wrong : -1;
}

static long change(void)
{
	for (uint64_t i = 0; i < WORDS; i++)
		memory[i] = 0;
	return LIMPET_OK;
}

static long give_back(void)
{
	long status = mem_free((word)memory);

	memory = NULL;
	return status;
}

static long reserve(word *at)
{
	long status = mem_reserve(MORE, LIMPET_READ | LIMPET_WRITE, at);

	for (word page = 0; !status && page < MORE; page++)
		*(volatile uint64_t *)(*at + page * LIMPET_PAGE) = page;
	return status;
}

static long used(void)
{
	word pages = 0, frames;

	mem_available(&pages, &frames);
	return (long)pages;
}

long pong_serve_call6(word badge, word a, word b, word c, word d, word e, word f,
		      struct pong_call6_results *out)
{
	(void)badge, (void)c, (void)d, (void)e, (void)f;
	switch ((enum holder_action)a) {
	case HOLDER_CHECK:
		return check();
	case HOLDER_CHANGE:
		return change();
	case HOLDER_FREE:
		return give_back();
	case HOLDER_RESERVE:
		return reserve(&out->x);
	case HOLDER_READ:
		return *(volatile int32_t *)b & 0;
	case HOLDER_USED:
		return used();
	}
	return LIMPET_ERANGE;
}

long component_init(const struct limpet_info *info)
{
	word at;
	long status = mem_allocate(PAGES, &at);

	(void)info;
	memory = (uint64_t *)at;
	for (uint64_t i = 0; !status && i < WORDS; i++)
		memory[i] = CONTENT(i);
	return status;
}
