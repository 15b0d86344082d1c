// SPDX-License-Identifier: GPL-2.0
/* Records of guests: ids, references, and the list. */
#include <linux/bitmap.h>
#include <linux/module.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include <host/linux/compat.h>
#include <host/linux/guest/guest.h>

DEFINE_RAW_SPINLOCK(guests_lock);
LIST_HEAD(guests);
unsigned int guests_count;

static DECLARE_BITMAP(ids, LIMPET_GUESTS_MAX); /* in use; under guests_lock */
static LLIST_HEAD(unused);		       /* records without references */

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
	WRITE_ONCE(g->system->guests[g->guest.id], NULL);
	__clear_bit(g->guest.id, ids);
	raw_spin_unlock_irqrestore(&guests_lock, flags);
}

struct host_guest *guest_new(struct system *system, struct cpu *cpu, struct executive *x, gfp_t gfp)
{
	struct host_guest *g = kzalloc(sizeof(*g), gfp);
	int id;

	if (!g)
		return ERR_PTR(-ENOMEM);
	id = id_take();
	if (id < 0) {
		kfree(g);
		return ERR_PTR(id);
	}
	kref_init(&g->refs);
	kref_get(&system->refs);
	__module_get(THIS_MODULE);
	g->system = system;
	g->guest.id = (u32)id;
	g->guest.cpu = cpu;
	g->cpu = cpu->number;
	g->home = system->host[cpu->number].linux_cpu;
	g->guest.executive = x;
	g->guest.event = LIMPET_GUEST_EVENT(LIMPET_GUEST_CALL, id);
	INIT_LIST_HEAD(&g->list);
	init_task_work(&g->duty_work, guest_duty_run);
	init_task_work(&g->follow_work, guest_follow_run);
	return g;
}

/* What the last reference may leave behind can need a context that sleeps. */
static void reap(struct work_struct *work)
{
	struct host_guest *g, *next;

	llist_for_each_entry_safe(g, next, llist_del_all(&unused), reaped) {
		id_release(g);
		if (g->task)
			put_task_struct(g->task);
		system_put(g->system);
		kfree_rcu(g, rcu);
		module_put(THIS_MODULE);
	}
}
static DECLARE_WORK(reap_work, reap);

static void guest_unused(struct kref *refs)
{
	llist_add(&container_of(refs, struct host_guest, refs)->reaped, &unused);
	schedule_work(&reap_work);
}

void guest_put(struct host_guest *g)
{
	kref_put(&g->refs, guest_unused);
}

void guest_reap(void)
{
	flush_work(&reap_work);
}
