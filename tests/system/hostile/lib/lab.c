// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/format.h>
#include <runtime/kernel_call.h>
#include <runtime/memory.h>
#include <runtime/print.h>
#include <runtime/window.h>

#include "lab.h"

#define TABLE LIMPET_SLOT_TABLE
#define FRAMES LIMPET_SLOT_FRAMES
#define SLOT_FIRST 100ul /* above the gates of the imports */
#define SLOT_END LIMPET_SLOT_PAGE_TABLES
#define VIEWS 128ul /* pages; the window has 256 */
#define DATA (LIMPET_READ | LIMPET_WRITE)

static word next_slot = SLOT_FIRST;
static word dropped[64];
static unsigned int drops;
static word views;
static unsigned int verdicts;

void lab_pass(const char *name)
{
	verdicts++;
	limpet_print("ok %s\n", name);
}

void lab_fail(const char *name, const char *format, ...)
{
	char why[400];
	va_list values;

	va_start(values, format);
	limpet_vformat(why, sizeof(why), format, values);
	va_end(values);
	verdicts++;
	limpet_print("not %s: %s\n", name, why);
}

void lab_done(void)
{
	limpet_print("verdicts %u\n", verdicts);
}

void lab_must(long status, const char *what)
{
	if (status >= 0)
		return;
	lab_fail(what, "%s", limpet_error_name(status));
	lab_done();
	component_exit();
}

word lab_slot(void)
{
	if (drops)
		return dropped[--drops];
	if (next_slot == SLOT_END)
		lab_must(LIMPET_EFULL, "a slot for the lab");
	return next_slot++;
}

void lab_slot_drop(word slot)
{
	long status = lab_delete(slot);

	if (status != LIMPET_ESLOT) /* the slot is empty */
		lab_must(status, "empty a slot");
	if (drops < array_size(dropped))
		dropped[drops++] = slot;
}

word lab_frames(word count)
{
	word slot = lab_slot();

	lab_must(limpet_call_frame_split(FRAMES, count, TABLE, slot), "frames for the lab");
	return slot;
}

word lab_object(enum limpet_type type, word count, word *frames)
{
	word from = lab_frames(count), slot = lab_slot();

	lab_must(limpet_call_frame_retype(from, type, TABLE, slot), "an object of the lab");
	if (frames)
		*frames = from;
	return slot;
}

void *lab_view(word frames, word count)
{
	const uint32_t index = limpet_info()->index;
	const word at = limpet_window(index) + views * LIMPET_PAGE;

	if (views + count > VIEWS)
		lab_must(LIMPET_ENOMEM, "a view for the lab");
	lab_must(limpet_call_pt_map(LIMPET_SLOT_PAGE_TABLES + index, frames, 0, at, count, DATA),
		 "a view");
	views += count;
	memset((void *)at, 0, count * LIMPET_PAGE);
	return (void *)at;
}

long lab_delete(word slot)
{
	long status;

	do
		status = limpet_call_cap_delete(TABLE, slot);
	while (status == LIMPET_EAGAIN);
	return status;
}

long lab_revoke(word slot)
{
	long status;

	do
		status = limpet_call_cap_revoke(TABLE, slot);
	while (status == LIMPET_EAGAIN);
	return status;
}

word domain_map(const struct domain *domain, word address, word count, word rights)
{
	word frames = lab_frames(count);

	lab_must(limpet_call_pt_map(domain->pt, frames, 0, address, count, rights),
		 "memory for a domain");
	return frames;
}

/* Each object has its own frames. There is one stack for each thread of the system. */
void domain_make(struct domain *domain, unsigned int index)
{
	domain->index = index;
	domain->pt = lab_object(LIMPET_PAGE_TABLE, 1, NULL);
	lab_must(limpet_call_pt_extend(domain->pt, lab_frames(1 + DOMAIN_POOL)),
		 "pages of a domain's page table");
	domain->table = lab_object(LIMPET_TABLE, 1, NULL);
	domain->component = lab_object(LIMPET_COMPONENT, 1, &domain->frames);
	lab_must(limpet_call_component_activate(domain->component, domain->pt, domain->table,
						DOMAIN_STACKS, DOMAIN_STACK_SHIFT, index),
		 "activate a domain");
	domain->code_frames =
		domain_map(domain, DOMAIN_CODE, DOMAIN_CODE_PAGES, LIMPET_READ | LIMPET_EXEC);
	domain->data_frames = domain_map(domain, DOMAIN_DATA, DOMAIN_DATA_PAGES, DATA);
	domain->code = lab_view(domain->code_frames, DOMAIN_CODE_PAGES);
	domain->data = lab_view(domain->data_frames, DOMAIN_DATA_PAGES);
	for (unsigned int id = 0; id <= limpet_info()->threads; id++)
		lab_slot_drop(domain_map(domain, domain_stack(id) - LIMPET_PAGE, 1, DATA));
	domain->gate = domain_gate(domain, 0, 1 + index);
}

void domain_write(const struct domain *domain, word at, const void *code, size_t size)
{
	memcpy(domain->code + at, code, size);
}

void domain_give(const struct domain *domain, word source, word slot, word rights)
{
	lab_must(limpet_call_cap_copy(TABLE, source, domain->table, slot, rights),
		 "give a domain a capability");
}

void domain_handler(const struct domain *domain, const struct domain *handler)
{
	lab_must(limpet_call_component_handler(domain->component, handler->gate),
		 "set a fault handler");
}

word domain_gate(const struct domain *domain, word at, word badge)
{
	word slot = lab_slot();

	lab_must(limpet_call_gate_create(domain->component, DOMAIN_CODE + at, badge, TABLE, slot),
		 "make a gate");
	return slot;
}

word lab_random(word *state)
{
	word x = *state ? *state : 1;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	*state = x;
	return x * 0x2545f4914f6cdd1dul;
}
