// SPDX-License-Identifier: BSD-2-Clause
/*
 * High precision event timer (IA-PC HPET specification 1.0a). Measures the time from the
 * comparator's match until this thread runs, with the timer's own counter. Linux continues to use
 * that counter and comparators 0 and 1. When Linux has died, these are unused, and the next
 * Linux can use the legacy timers that they replaced.
 */
#include <runtime/component.h>
#include <runtime/device.h>
#include <runtime/figure.h>
#include <runtime/kernel_call.h>
#include <runtime/print.h>

#define CAPABILITIES 0x000 /* bits 12 to 8: the last comparator; 63 to 32: femtoseconds of a tick */
#define CONFIG 0x010
#define COUNTER 0x0f0
#define TIMER(n) (0x100 + 0x20ul * (n)) /* bits 63 to 32: which lines are possible */
#define COMPARATOR(n) (TIMER(n) + 8)
#define CONFIG_ON 1u
#define CONFIG_LEGACY 2u /* comparators 0 and 1 replace the legacy timers */
#define TIMER_LEVEL 0x02u
#define TIMER_ON 0x04u
#define TIMER_PERIODIC 0x08u
#define TIMER_32 0x100u /* compares the lower halves only */
#define TIMER_ROUTE_SHIFT 9
#define TIMER_ROUTE (31u << TIMER_ROUTE_SHIFT)
#define EVENT 1
#define EVENT_LINUX 2
#define COUNT_MAX 10000
#define FEMTOSECONDS_US 1000000000ul

static const struct limpet_info_resource *hpet, *line,
	*host; /* host: end of Linux; NULL: not requested */
static unsigned int timer;
static uint32_t errors[COUNT_MAX];

static uint32_t reg(word offset)
{
	return limpet_register_read32(hpet, offset);
}

static int64_t arg_between(const struct limpet_info *info, const char *name, int64_t otherwise,
			   int64_t min, int64_t max)
{
	int64_t value = limpet_arg_number(info, name, otherwise);

	return value < min ? min : value > max ? max : value;
}

long component_init(const struct limpet_info *info)
{
	hpet = limpet_resource(LIMPET_RESOURCE_MEMORY, 0);
	line = limpet_resource(LIMPET_RESOURCE_INTERRUPT, 0);
	host = limpet_resource(LIMPET_RESOURCE_INTERRUPT, 1);
	timer = (unsigned int)arg_between(info, "timer", 2, 0, 31);
	return hpet && line ? LIMPET_OK : LIMPET_ENOENT;
}

/* Returns the reason why the timer cannot be used, or NULL. */
static const char *refusal(void)
{
	if (reg(CAPABILITIES) == ~0u || !reg(CAPABILITIES + 4))
		return "there is no HPET in the memory that the system file gives";
	if (timer > (reg(CAPABILITIES) >> 8 & 31))
		return "the HPET does not have that comparator; lower the argument timer";
	if (timer < 2 && reg(CONFIG) & CONFIG_LEGACY)
		return "Linux has comparators 0 and 1; raise the argument timer";
	if (line->first > 31 || !(reg(TIMER(timer) + 4) >> line->first & 1))
		return "the comparator cannot be routed to that line; give another interrupt";
	return NULL;
}

static void linux_changed(void)
{
	struct limpet_interrupt state;

	if (!limpet_interrupt_ack(host, &state) && state.death)
		limpet_register_write32(hpet, CONFIG, reg(CONFIG) & ~CONFIG_LEGACY);
}

static void begin(void)
{
	uint32_t config = reg(TIMER(timer)) & ~(TIMER_ROUTE | TIMER_PERIODIC | TIMER_LEVEL);

	if (!(reg(CONFIG) & CONFIG_ON))
		limpet_register_write32(hpet, CONFIG, reg(CONFIG) | CONFIG_ON);
	limpet_register_write32(hpet, TIMER(timer),
				config | TIMER_32 | TIMER_ON |
					(uint32_t)line->first << TIMER_ROUTE_SHIFT);
}

/* Returns how many ticks late this thread runs at the next match, `ahead` ticks from now. */
static uint32_t match(uint32_t ahead)
{
	uint32_t due = reg(COUNTER) + ahead;
	struct limpet_out out;

	limpet_register_write32(hpet, COMPARATOR(timer), due);
	/*
	 * The match can be in the past already if this thread had to wait. Other devices can raise
	 * the same vector.
	 */
	while ((int32_t)(reg(COUNTER) - due) < 0) {
		limpet_call_endpoint_receive(LIMPET_SLOT_ENDPOINT, 0, 0, &out);
		if (out.w0 & EVENT_LINUX)
			linux_changed();
	}
	return reg(COUNTER) - due;
}

void component_main(const struct limpet_info *info)
{
	uint64_t us = (uint64_t)arg_between(info, "us", 1000, 20, 1000000), tick;
	uint64_t count = (uint64_t)arg_between(info, "count", 1000, 1, COUNT_MAX);
	int64_t reports = arg_between(info, "reports", 0, 0, INT64_MAX);
	const char *why = refusal();
	struct figure figure;

	if (why || limpet_interrupt_bind(line, EVENT, NULL) ||
	    (host && limpet_interrupt_bind(host, EVENT_LINUX, NULL))) {
		limpet_print("%s\n", why ? why : "the interrupt cannot be bound");
		return;
	}
	tick = reg(CAPABILITIES + 4);
	begin();
	for (int64_t n = 0; !reports || n < reports; n++) {
		for (uint64_t i = 0; i < count; i++)
			errors[i] = (uint32_t)(match((uint32_t)(us * FEMTOSECONDS_US / tick)) *
					       tick / 1000000); /* ns */
		figure = figure_of_values(errors, count);
		figure_print(&figure, "system", "device", limpet_arg_text(info, "subject", "hpet"));
	}
	limpet_print("done\n");
}
