// SPDX-License-Identifier: BSD-2-Clause
/*
 * Changes page tables of domains, and lets their code access the pages before and after each change. A processor with
 * process-context ids keeps translations when another page table is loaded, unless they are flushed. A stale
 * translation would show the old page.
 */
#include <runtime/kernel_call.h>
#include <runtime/memory.h>
#include <runtime/print.h>

#include <export/pong.h>

#include "../../../hostile/lib/lab.h"

#define AT 0x12000000ul /* address of the pages that change */
#define PAGE LIMPET_PAGE
#define SAME 1 /* results of the code in stale_code.S */
#define OTHER 2
#define READ LIMPET_READ
#define BOTH (LIMPET_READ | LIMPET_WRITE)
#define COMPLAINTS 4

extern const unsigned char read_code[], read_code_end[], write_code[], write_code_end[],
	wait_code[], wait_code_end[];

/* A page with a value, which is also mapped in the lab. */
struct page {
	word frames;
	word *view;
};

/* A domain whose page table and component are made several times, of the same frames. */
struct again {
	word pt_frames, pool, component_frames, table_frames, code, stack;
	word pt, component, table, gate;
};

static struct domain left, right;
static struct again again;
static struct page pages[2];
static struct {
	bool wanted; /* the changer's next call makes the change */
	struct page *to;
} change;
static unsigned int complaints;

static void page_make(struct page *page, word value)
{
	page->frames = lab_frames(1);
	page->view = lab_view(page->frames, 1);
	*page->view = value;
}

static void map(word pt, const struct page *page, word rights)
{
	lab_must(limpet_call_pt_map(pt, page->frames, 0, AT, 1, rights), "map a page");
}

static void unmap(word pt)
{
	lab_must(limpet_call_pt_unmap(pt, AT, 1), "unmap a page");
}

/* Executes the code of a gate, and requires a status. */
static void expect(const char *name, word gate, word value, long wanted)
{
	const word words[6] = { 0, 0, 0, 0, AT, value };
	struct after after;
	long status = lab_syscall(LIMPET_INVOKE(gate), words, &after);

	if (status != wanted && complaints++ < COMPLAINTS)
		lab_fail(name, "status %ld, not %ld, of an access that expects %lx", status, wanted,
			 value);
}

static void code_set(const struct domain *domain, const unsigned char *code,
		     const unsigned char *end)
{
	domain_write(domain, 0, code, (size_t)(end - code));
}
#define CODE(domain, name) code_set(domain, name##_code, name##_code_end)

static void group_end(const char *name)
{
	if (!complaints)
		lab_pass(name);
	complaints = 0;
}

/* Unmaps a page, and maps another one at its address. */
static void remap(void)
{
	static const char name[] = "a page that was unmapped or replaced";

	for (unsigned int i = 0; i < 2; i++) {
		map(left.pt, &pages[i], READ);
		expect(name, left.gate, *pages[i].view, SAME);
		unmap(left.pt);
		expect(name, left.gate, 0, LIMPET_ECRASH);
	}
}

static void protect(void)
{
	static const char name[] = "a page that became read only";

	map(left.pt, &pages[0], BOTH);
	CODE(&left, write);
	expect(name, left.gate, *pages[0].view, SAME);
	lab_must(limpet_call_pt_protect(left.pt, AT, 1, READ), "protect a page");
	expect(name, left.gate, *pages[0].view, LIMPET_ECRASH);
	CODE(&left, read);
	unmap(left.pt);
}

/* Maps different pages of two components at one address, then unmaps one of them. */
static void neighbours(void)
{
	static const char name[] = "another component's page at the same address";

	map(left.pt, &pages[0], READ);
	map(right.pt, &pages[1], READ);
	for (unsigned int i = 0; i < 4; i++) {
		expect(name, left.gate, *pages[0].view, SAME);
		expect(name, right.gate, *pages[1].view, SAME);
	}
	unmap(right.pt);
	expect(name, left.gate, *pages[0].view, SAME);
	expect(name, right.gate, 0, LIMPET_ECRASH);
	unmap(left.pt);
	expect(name, left.gate, 0, LIMPET_ECRASH);
}

/* Changes the page while the code that reads it is interrupted. */
static void interrupted(void)
{
	static const char name[] = "a page that changes under code that is executing";

	CODE(&left, wait);
	map(left.pt, &pages[0], READ);
	change.to = &pages[1];
	__atomic_store_n(&change.wanted, true, __ATOMIC_SEQ_CST);
	expect(name, left.gate, *pages[1].view, SAME);
	if (__atomic_load_n(&change.wanted, __ATOMIC_SEQ_CST) && complaints++ < COMPLAINTS)
		lab_fail(name, "the changer did not call");
	CODE(&left, read);
	unmap(left.pt);
}

/* Called by the changer. Makes a pending change. */
long pong_serve_call0(word badge)
{
	(void)badge;
	if (!__atomic_load_n(&change.wanted, __ATOMIC_SEQ_CST))
		return LIMPET_OK;
	unmap(left.pt);
	map(left.pt, change.to, READ);
	__atomic_store_n(&change.wanted, false, __ATOMIC_SEQ_CST);
	return LIMPET_OK;
}

static void again_prepare(struct again *a)
{
	a->pt_frames = lab_frames(1);
	a->pool = lab_frames(1 + DOMAIN_POOL);
	a->component_frames = lab_frames(1);
	a->table_frames = lab_frames(1);
	a->code = lab_frames(1);
	a->stack = lab_frames(1);
	memcpy(lab_view(a->code, 1), read_code, (size_t)(read_code_end - read_code));
}

static word object(word frames, enum limpet_type type)
{
	word slot = lab_slot();

	lab_must(limpet_call_frame_retype(frames, type, LIMPET_SLOT_TABLE, slot), "an object");
	return slot;
}

static void again_make(struct again *a)
{
	const word stack = domain_stack(limpet_info()->thread) - PAGE;

	a->pt = object(a->pt_frames, LIMPET_PAGE_TABLE);
	lab_must(limpet_call_pt_extend(a->pt, a->pool), "pages of a page table");
	a->component = object(a->component_frames, LIMPET_COMPONENT);
	a->table = object(a->table_frames, LIMPET_TABLE);
	lab_must(limpet_call_component_activate(a->component, a->pt, a->table, DOMAIN_STACKS,
						DOMAIN_STACK_SHIFT, 120),
		 "activate a component");
	lab_must(limpet_call_pt_map(a->pt, a->code, 0, DOMAIN_CODE, 1, READ | LIMPET_EXEC),
		 "map code");
	lab_must(limpet_call_pt_map(a->pt, a->stack, 0, stack, 1, BOTH), "map a stack");
	a->gate = lab_slot();
	lab_must(limpet_call_gate_create(a->component, DOMAIN_CODE, 1, LIMPET_SLOT_TABLE, a->gate),
		 "make a gate");
}

static void again_destroy(struct again *a)
{
	lab_must(lab_revoke(a->component_frames), "destroy a component");
	lab_must(lab_revoke(a->pt_frames), "destroy a page table");
	lab_must(lab_revoke(a->table_frames), "destroy a table");
	lab_slot_drop(a->gate);
	lab_slot_drop(a->component);
	lab_slot_drop(a->pt);
	lab_slot_drop(a->table);
}

/* Destroys a page table, and makes another component's page table of its frames. */
static void reuse(void)
{
	static const char name[] = "a page of a destroyed page table";

	for (unsigned int i = 0; i < 2; i++) {
		again_make(&again);
		expect(name, again.gate, 0, LIMPET_ECRASH);
		map(again.pt, &pages[i], READ);
		expect(name, again.gate, *pages[i].view, SAME);
		again_destroy(&again);
	}
}

static const struct {
	const char *name;
	void (*run)(void);
} parts[] = {
	{ "unmapped and replaced pages", remap },    { "pages that become read only", protect },
	{ "pages of other components", neighbours }, { "pages that change meanwhile", interrupted },
	{ "pages of destroyed page tables", reuse },
};

void component_main(const struct limpet_info *info)
{
	const int64_t rounds = limpet_arg_number(info, "rounds", 100);

	domain_make(&left, 100);
	domain_make(&right, 101);
	CODE(&left, read);
	CODE(&right, read);
	for (unsigned int i = 0; i < array_size(pages); i++)
		page_make(&pages[i], 0x1111ul * (i + 1));
	again_prepare(&again);
	for (unsigned int part = 0; part < array_size(parts); part++) {
		for (int64_t i = 0; i < rounds && !complaints; i++)
			parts[part].run();
		group_end(parts[part].name);
	}
	lab_done();
}
