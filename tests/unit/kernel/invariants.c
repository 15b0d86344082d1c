// SPDX-License-Identifier: GPL-2.0
/* Checks the invariants of all objects between any two steps. */
#include <stdlib.h>

#include "guests.h"

#define must(condition, ...)                                                                       \
	do {                                                                                       \
		if (!(condition))                                                                  \
			fail_msg("invariant " #condition ": " __VA_ARGS__);                        \
	} while (0)

#define each_entry(e) for (struct entry *e = registry; e < registry + registry_count; e++)

static u16 *expected; /* expected state of each frame */
static u64 *units;    /* by frame: a bit for each unit that an object uses */
static u32 refs[16384 * LIMPET_PAGE / LIMPET_OBJECT_ALIGN]; /* of the object that starts at a unit */

static u32 *refs_of(const void *object)
{
	word unit = (word)((const u8 *)object - machine.pool->base) / LIMPET_OBJECT_ALIGN;

	must(unit < countof(refs), "too many frames for this test");
	return &refs[unit];
}

static void refs_count(const void *object)
{
	if (object)
		++*refs_of(object);
}

/* --- capabilities */

static void object_check(const struct capability *cap)
{
	word type = cap->type == LIMPET_GATE ? LIMPET_COMPONENT : cap->type;

	if (cap->type == LIMPET_FRAMES || cap->type == LIMPET_PORT ||
	    cap->type >= LIMPET_DEVICE_MEMORY) {
		must(!cap->object, "type %u with an object", cap->type);
		return;
	}
	must(cap->object && cap->object->type == type, "slot of type %u", cap->type);
	if (type == LIMPET_CPU || type == LIMPET_CHANNEL)
		return;
	must(registry_has(cap->object, type), "a capability names an object that is gone");
	++*refs_of(cap->object);
}

static void frames_check(const struct capability *cap)
{
	if (cap->type != LIMPET_FRAMES)
		return;
	must(cap->a < machine.pool->frames && cap->b <= machine.pool->frames - cap->a,
	     "frames %lu + %lu", cap->a, cap->b);
}

/* Checks that the capability is for a whole resource of the machine. */
static void resource_check(const struct capability *cap)
{
	switch (cap->type) {
	case LIMPET_IO_PORTS:
		must((cap->a == PORT_FIRST || cap->a == machine_resource[RESOURCE_OTHER].first) &&
			     cap->b == PORT_COUNT,
		     "ports %lu + %lu", cap->a, cap->b);
		break;
	case LIMPET_DEVICE_MEMORY:
		must(cap->a == DEVICE / LIMPET_PAGE && cap->b == DEVICE_PAGES, "device %lu + %lu",
		     cap->a, cap->b);
		break;
	case LIMPET_INTERRUPT:
		must(cap->a < RESOURCES &&
			     machine_resource[cap->a].kind == LIMPET_RESOURCE_INTERRUPT,
		     "interrupt %lu", cap->a);
		break;
	default:
		return;
	}
	must(!(cap->rights & LIMPET_EXEC), "a resource is executable");
}

static void slot_check(const struct table *table, const struct capability *cap)
{
	must(cap->table == table, "a slot forgot its table");
	must(!cap->prev || cap->prev->next == cap, "derivation list broken before");
	must(!cap->next || cap->next->prev == cap, "derivation list broken behind");
	must(!cap->prev || cap->prev->type, "an empty slot in the derivation list");
	must(cap->prev || !cap->depth, "depth %u at the begin of the list", cap->depth);
	must(!cap->next || cap->next->depth <= cap->depth + 1, "a depth is left out");
	object_check(cap);
	frames_check(cap);
	resource_check(cap);
}

static void table_check(const struct table *table)
{
	must(table->slots <= LIMPET_SLOTS_MAX && !table->slot[0].type, "slot 0 is used");
	for (u32 i = 0; i < table->slots; i++) {
		if (table->slot[i].type)
			slot_check(table, &table->slot[i]);
		else
			must(!table->slot[i].next && !table->slot[i].prev,
			     "an empty slot is linked");
	}
}

/* --- frames */

static void mapping_count(void *context, word address, void *page)
{
	(void)context;
	(void)address;
	expected[frame_of(machine.pool, page)]++;
}

static void frames_are_kernel(word first, word count)
{
	for (word i = first; i < first + count; i++) {
		must(!expected[i], "frame %lu is part of two objects", i);
		expected[i] = FRAME_KERNEL;
	}
}

static void page_is_kernel(void *page)
{
	frames_are_kernel(frame_of(machine.pool, page), 1);
}

/* Counts an object in a packed frame, which is its only or last frame. Its units must not overlap other objects. */
static void object_is_packed(const struct entry *e)
{
	const word whole = (e->bytes - 1) / LIMPET_PAGE, frame = e->first + whole;
	const word offset = whole ? 0 : (word)e->object % LIMPET_PAGE;
	const word count = (e->bytes - whole * LIMPET_PAGE) / LIMPET_OBJECT_ALIGN;
	const word first = offset / LIMPET_OBJECT_ALIGN, end = first + count;
	const u64 mask = (count < 64 ? (1ul << count) - 1 : ~0ul) << first;
	u16 *state = &expected[frame];

	must(!(offset % LIMPET_OBJECT_ALIGN) && end <= LIMPET_PAGE / LIMPET_OBJECT_ALIGN,
	     "an object is cut off");
	frames_are_kernel(e->first, whole);
	must(*state != FRAME_KERNEL && !(units[frame] & mask), "objects overlap");
	units[frame] |= mask;
	*state = (*state ?: FRAME_PACKED) + FRAME_OBJECT;
	if (*state % FRAME_OBJECT < end)
		*state += end - *state % FRAME_OBJECT;
}

static void frames_expect(void)
{
	expected = calloc(machine.pool->frames, sizeof(u16));
	units = calloc(machine.pool->frames, sizeof(u64));
	expected[0] = expected[1] = FRAME_KERNEL;
	each_entry(e)
	{
		if (e->packed)
			object_is_packed(e);
		else
			frames_are_kernel(e->first, (e->bytes + LIMPET_PAGE - 1) / LIMPET_PAGE);
		pages_each(e, page_is_kernel);
	}
	each_entry(e) if (e->type == LIMPET_PAGE_TABLE)
		fake_mappings(&((struct page_table *)e->object)->hal, mapping_count, NULL);
}

/* Checks the state of a frame. Shared memory of a channel stays shared. */
static bool state_right(word frame)
{
	u16 state = machine.pool->state[frame];

	if (state >= FRAME_SHARED)
		return expected[frame] < FRAME_PACKED;
	if (state >= FRAME_PACKED && state < FRAME_KERNEL) /* units are not reused */
		return state / FRAME_OBJECT == expected[frame] / FRAME_OBJECT &&
		       state >= expected[frame];
	return state == expected[frame] || (state > expected[frame] && state != FRAME_KERNEL);
}

static void frames_check_all(void)
{
	frames_expect();
	for (word i = 0; i < machine.pool->frames; i++)
		must(state_right(i), "frame %lu: state %#x, not %#x", i, machine.pool->state[i],
		     expected[i]);
	free(expected);
	free(units);
}

/* --- threads, endpoints and components */

static bool thread_lives(const struct thread *t)
{
	return t->state == LIMPET_THREAD_READY || t->state == LIMPET_THREAD_WAITING;
}

static struct cpu *cpu_of(const struct thread *t)
{
	for (unsigned int n = 0; n < machine.cpus; n++)
		if (t->id < LIMPET_THREADS_MAX && machine.all[n]->threads[t->id] == t)
			return machine.all[n];
	return NULL;
}

static const struct component *inside(const struct thread *t)
{
	const struct cpu *c = cpu_of(t);

	return c && c->thread == t ? c->component : t->component;
}

static void stack_check(const struct thread *t)
{
	unsigned int faults = 0;

	must(t->top >= t->frame && t->top <= t->last, "frames beyond the stack");
	for (const struct invocation *f = t->top; f != t->frame; f--) {
		must(registry_has(f->component, LIMPET_COMPONENT), "a frame's component is gone");
		faults += !!(f->epoch & INVOCATION_FAULT);
	}
	must(faults == t->faults, "%u faults, not %u", t->faults, faults);
	must(registry_has(inside(t), LIMPET_COMPONENT), "a thread is in a component that is gone");
}

static void thread_check(const struct thread *t)
{
	const struct cpu *c = cpu_of(t);

	must((t->state != LIMPET_THREAD_IDLE) == !!c, "state %u", t->state);
	must(!t->endpoint || t->endpoint->thread == t, "another thread has its endpoint");
	must(!t->receiving || t->receiving == t->endpoint,
	     "it receives at an endpoint not its own");
	must(t->state != LIMPET_THREAD_WAITING || t->receiving || guest_waits(t),
	     "it waits for nothing");
	must(!t->notice || t->scheduler, "a notice without a receiver");
	must(!t->scheduler || registry_has(t->scheduler, LIMPET_ENDPOINT), "scheduler is gone");
	must(!t->scheduler || t->scheduler->schedules, "its scheduler does not know");
	if (!thread_lives(t))
		return;
	stack_check(t);
	if (t != c->thread || c->idle == (t->state != LIMPET_THREAD_READY))
		return;
	must(c->idle && !t->urgency && t->scheduler, "state %u, idle %u", t->state, c->idle);
}

/* Returns the length of a list, and checks that each item points back. */
static unsigned int list_count(const struct list *list)
{
	unsigned int count = 0;

	for (const struct list *i = list->next; i != list; i = i->next) {
		must(i->before->next == i && i->next->before == i, "a list is torn");
		must(count++ < 10000, "a list does not come back to its start");
	}
	return count;
}

static void endpoint_check(const struct endpoint *ep)
{
	unsigned int notices = 0, scheduled = 0, sources = 0;

	must(!ep->thread || registry_has(ep->thread, LIMPET_THREAD), "its thread is gone");
	must(!ep->thread || ep->thread->endpoint == ep, "its thread has another endpoint");
	each_entry(e)
	{
		const struct thread *t = (const struct thread *)e->object;

		if (e->type != LIMPET_THREAD)
			continue;
		must(!t->notice == !t->noticed.next, "a notice is not in the queue");
		must(!t->scheduler == !t->scheduled.next,
		     "a thread is not in its scheduler's list");
		notices += t->notice && t->scheduler == ep;
		scheduled += t->scheduler == ep;
	}
	for (unsigned int n = 0; n < machine.cpus; n++)
		for (unsigned int i = 0; i < INBOX_EVENTS; i++)
			sources += machine.all[n]->source[i].endpoint == ep;
	must(list_count(&ep->notices) == notices, "%u notices are not all queued", notices);
	must(list_count(&ep->scheduled) == scheduled, "%u threads are not all listed", scheduled);
	must(list_count(&ep->sources) == sources, "%u sources are not all listed", sources);
}

static u64 threads_inside(const struct component *c)
{
	u64 count = 0;

	each_entry(e)
	{
		const struct thread *t = (const struct thread *)e->object;

		if (e->type != LIMPET_THREAD || !thread_lives(t))
			continue;
		count += inside(t) == c;
		for (const struct invocation *f = t->top; f != t->frame; f--)
			count += f->component == c;
	}
	return count;
}

static void component_check(const struct component *c)
{
	u64 count = threads_inside(c);
	bool listed = false;

	must(c->entered - c->left == count, "component %u: %lu in, %lu out, %lu inside", c->index,
	     c->entered, c->left, count);
	must(!count || c->space, "threads are in a component without a page table");
	must(!c->space || (c->page_table && c->table), "half of an active component");
	must(!c->root || c->root == c->space, "who comes in gets another page table");
	must(!c->space || c->space == hal_page_table_root(&c->page_table->hal) ||
		     c->space == hal_page_table_barrier(hal_page_table_root(&c->page_table->hal)),
	     "another page table's root");
	refs_count(c->page_table);
	refs_count(c->table);
	for (unsigned int n = 0; n < machine.cpus && c->index < LIMPET_COMPONENTS_MAX; n++)
		listed |= machine.all[n]->components[c->index] == c;
	must(listed == (c->index != UINT32_MAX), "component %u is not in its place", c->index);
	must(!c->handler.component == !c->handled.next, "it is not in its handler's list");
	must(!c->handler.component || registry_has(c->handler.component, LIMPET_COMPONENT),
	     "the fault handler's component is gone");
}

static void entry_check(const struct entry *e)
{
	must(e->object->type == e->type, "the type of an object changed");
	switch (e->type) {
	case LIMPET_TABLE:
		table_check((const struct table *)e->object);
		break;
	case LIMPET_THREAD:
		thread_check((const struct thread *)e->object);
		break;
	case LIMPET_ENDPOINT:
		endpoint_check((const struct endpoint *)e->object);
		break;
	case LIMPET_COMPONENT:
		component_check((const struct component *)e->object);
		break;
	}
}

/* --- the CPU */

static void spaces_check(const struct cpu *c, unsigned int number)
{
	u64 spaces[countof(c->spaces)] = { 0 };
	word first = machine.image + machine.image_frames;
	word share = (machine.pool->frames - first) / machine.cpus;

	each_entry(e)
	{
		const struct page_table *pt = (const struct page_table *)e->object;

		if (e->type != LIMPET_PAGE_TABLE || (e->first - first) / share != number)
			continue;
		must(!(spaces[pt->hal.space / 64] >> pt->hal.space % 64 & 1),
		     "a space is used twice");
		spaces[pt->hal.space / 64] |= 1ul << pt->hal.space % 64;
	}
	must(!memcmp(spaces, c->spaces, sizeof(spaces)), "spaces in use");
}

static void endpoint_known(const struct endpoint *ep, const char *what)
{
	must(!ep || registry_has(ep, LIMPET_ENDPOINT), "%s names an endpoint that is gone", what);
}

static void doomed_check(const struct cpu *c)
{
	unsigned int count = 0;

	for (const struct object *o = c->doomed; o; o = o->next) {
		must(count++ < 10000, "the list of the doomed is a circle");
		must(!o->refs, "a doomed object has a name");
		must(!o->frames || registry_has(o, o->type), "a doomed object is gone");
	}
}

static void cpu_check(const struct cpu *c, unsigned int number)
{
	doomed_check(c);
	must(registry_has(c->thread, LIMPET_THREAD), "the current thread is gone");
	must(c->idle || c->thread->state == LIMPET_THREAD_READY, "a thread runs that cannot");
	must(c->idle || machine.processor[number].root == c->component->space, "page table");
	endpoint_known(c->timer, "the timer");
	for (unsigned int i = 0; i < INBOX_EVENTS; i++)
		endpoint_known(c->source[i].endpoint, "a source");
	for (unsigned int i = 0; i < CHANNELS_MAX; i++)
		must(!channel_area(&c->channel[i]).frames ||
			     (c->channel[i].number == i &&
			      __builtin_popcountl(c->source[INBOX_CHANNEL + i].bits) == 1),
		     "channel %u", i);
	must(c->notify_left <= c->threads_end && c->notify_next < c->threads_end,
	     "threads to notify of a stop");
	for (unsigned int i = 0; i < LIMPET_THREADS_MAX; i++)
		must(!c->threads[i] ||
			     (registry_has(c->threads[i], LIMPET_THREAD) && c->threads[i]->id == i),
		     "thread %u", i);
	for (unsigned int i = 0; i < LIMPET_COMPONENTS_MAX; i++)
		must(!c->components[i] || (registry_has(c->components[i], LIMPET_COMPONENT) &&
					   c->components[i]->index == i),
		     "component %u", i);
	spaces_check(c, number);
	guests_check(c);
}

void invariants(void)
{
	each_entry(e) * refs_of(e->object) = 0;
	each_entry(e) entry_check(e);
	each_entry(e)
		must(*refs_of(e->object) == e->object->refs, "object of type %lu: %u names, not %u",
		     e->type, e->object->refs, *refs_of(e->object));
	frames_check_all();
	for (unsigned int n = 0; n < machine.cpus; n++)
		cpu_check(machine.all[n], n);
}
