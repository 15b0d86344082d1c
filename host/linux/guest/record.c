// SPDX-License-Identifier: GPL-2.0
/* Records of guests: ids, references, and the list. */
#include <linux/bitmap.h>
#include <linux/module.h>
#include <linux/nospec.h>
#include <linux/slab.h>

#include <host/linux/compat.h>
#include <host/linux/guest/guest.h>

DEFINE_RAW_SPINLOCK(guests_lock);
LIST_HEAD(guests);
LIST_HEAD(guests_coming);
unsigned int guests_count;

static DECLARE_BITMAP(ids, LIMPET_GUESTS_MAX); /* in use; under guests_lock */

/* Returns an unused id, or -EMFILE. */
static int id_take(void)
{
	unsigned long flags;
	unsigned int id;

	raw_spin_lock_irqsave(&guests_lock, flags);
	id = find_first_zero_bit(ids, LIMPET_GUESTS_MAX);
	if (id < LIMPET_GUESTS_MAX)
		__set_bit(id, ids);
	raw_spin_unlock_irqrestore(&guests_lock, flags);
	return id < LIMPET_GUESTS_MAX ? (int)id : -EMFILE;
}

static void id_release(const struct host_guest *g)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&guests_lock, flags);
	__clear_bit(g->guest.id, ids);
	raw_spin_unlock_irqrestore(&guests_lock, flags);
}

struct host_guest *guest_memory(void)
{
	return kzalloc(sizeof(struct host_guest) + cpumask_size(), GFP_KERNEL_ACCOUNT);
}

int guest_init(struct host_guest *g, struct system *system, struct cpu *cpu)
{
	int id = id_take();

	if (id < 0)
		return id;
	kref_init(&g->refs);
	kref_get(&system->refs);
	__module_get(THIS_MODULE);
	g->system = system;
	g->guest.id = (u32)id;
	g->guest.cpu = cpu;
	g->cpu = cpu->number;
	g->home = system->host[cpu->number].linux_cpu;
	g->guest.event = LIMPET_GUEST_EVENT(LIMPET_GUEST_CALL, id);
	INIT_LIST_HEAD(&g->list);
	guest_turn_init(g);
	init_task_work(&g->duty_work, guest_duty_run);
	init_task_work(&g->follow_work, guest_follow_run);
	init_task_work(&g->end_work, guest_end_run);
	return 0;
}

struct host_guest *host_guest_find(const struct host_guest *g, const struct executive *x, word id)
{
	struct guest *other = NULL;

	if (!g->system->guests_ended && id < LIMPET_GUESTS_MAX)
		other = g->system->guests[array_index_nospec(id, LIMPET_GUESTS_MAX)];
	return other && guest_level_of(other, x) >= 0 ? host_guest_of(other) : NULL;
}

void guest_wake(struct host_guest *g, const struct executive *x)
{
	WRITE_ONCE(g->guest.woken[guest_level_of(&g->guest, x)], true);
	wake_up_process(g->task);
}

void guest_filter_join(struct host_guest *g)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(g->filter); i++) {
		u64 word = 0;

		for (unsigned int level = 0; level < g->guest.levels; level++)
			word |= g->guest.wants[level][i];
		WRITE_ONCE(g->filter[i], word);
	}
}

/* The kernel of the guest's CPU looks records up with interrupts disabled. */
static void guest_unused(struct kref *refs)
{
	struct host_guest *g = container_of(refs, struct host_guest, refs);

	id_release(g);
	system_put(g->system);
	if (g->spare)
		kfree_rcu(g->spare, rcu);
	kfree_rcu(g, rcu);
	module_put(THIS_MODULE);
}

void guest_put(struct host_guest *g)
{
	kref_put(&g->refs, guest_unused);
}
