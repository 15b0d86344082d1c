// SPDX-License-Identifier: GPL-2.0
/* Records of guests: ids, users, references, and the list. */
#include <linux/bitmap.h>
#include <linux/module.h>
#include <linux/nospec.h>
#include <linux/rculist.h>
#include <linux/slab.h>

#include <host/linux/guest/guest.h>

DEFINE_RAW_SPINLOCK(guests_lock);
struct guest *guest_table[LIMPET_GUESTS_MAX];

LIST_HEAD(guests);
static DECLARE_BITMAP(ids, LIMPET_GUESTS_MAX); /* in use; under guests_lock */

/* --- users */

/* `guests` changes under guests_lock. It becomes 1 only with system_lock, because children have parents that count. */
struct guest_user {
	struct list_head list;
	kuid_t uid;
	unsigned int guests, max;
};

static LIST_HEAD(users); /* system_lock protects it */

void guest_users_free(void)
{
	struct guest_user *user, *next;

	list_for_each_entry_safe(user, next, &users, list)
		if (!READ_ONCE(user->guests)) {
			list_del(&user->list);
			kfree(user);
		}
}

struct guest_user *guest_user_find(kuid_t uid)
{
	struct guest_user *user;

	guest_users_free();
	list_for_each_entry(user, &users, list)
		if (uid_eq(user->uid, uid))
			return user;
	user = kzalloc(sizeof(*user), GFP_KERNEL_ACCOUNT);
	if (!user)
		return NULL;
	user->uid = uid;
	user->max = uid_eq(uid, GLOBAL_ROOT_UID) ? LIMPET_GUESTS_MAX : LIMPET_GUESTS_OF_USER;
	list_add(&user->list, &users);
	return user;
}

/* --- ids */

/* Returns an unused id, -EMFILE, or -EDQUOT. */
static int id_take(struct guest_user *user)
{
	unsigned long flags;
	int id;

	raw_spin_lock_irqsave(&guests_lock, flags);
	id = find_first_zero_bit(ids, LIMPET_GUESTS_MAX);
	if (id == LIMPET_GUESTS_MAX) {
		id = -EMFILE;
	} else if (user->guests == user->max) {
		id = -EDQUOT;
	} else {
		__set_bit(id, ids);
		WRITE_ONCE(user->guests, user->guests + 1);
	}
	raw_spin_unlock_irqrestore(&guests_lock, flags);
	return id;
}

static void id_release(const struct host_guest *guest)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&guests_lock, flags);
	__clear_bit(guest->core.id, ids);
	WRITE_ONCE(guest->user->guests, guest->user->guests - 1);
	raw_spin_unlock_irqrestore(&guests_lock, flags);
}

/* --- records */

struct host_guest *guest_memory(void)
{
	return kzalloc(sizeof(struct host_guest) + cpumask_size(), GFP_KERNEL_ACCOUNT);
}

int guest_init(struct host_guest *guest, struct system *system, struct cpu *cpu,
	       struct guest_user *user)
{
	int id = user ? id_take(user) : -ENOMEM;

	if (id < 0)
		return id;
	kref_init(&guest->refs);
	kref_get(&system->refs);
	__module_get(THIS_MODULE);
	guest->system = system;
	guest->user = user;
	guest->core.id = (u32)id;
	guest->core.cpu = cpu;
	guest->cpu = cpu->number;
	guest->home = system->host[cpu->number].linux_cpu;
	guest->core.event = LIMPET_GUEST_EVENT(LIMPET_GUEST_CALL, id);
	guest_turn_init(guest);
	init_task_work(&guest->duty_work, guest_duty_run);
	init_task_work(&guest->follow_work, guest_follow_run);
	init_task_work(&guest->end_work, guest_end_run);
	return 0;
}

bool guest_wake(const struct host_guest *guest, const struct executive *executive, word id)
{
	struct guest *other = NULL;
	unsigned long flags;
	int level = -1;

	raw_spin_lock_irqsave(&guests_lock, flags);
	if (id < LIMPET_GUESTS_MAX)
		other = guest_table[array_index_nospec(id, LIMPET_GUESTS_MAX)];
	if (other && host_guest_of(other)->system == guest->system)
		level = guest_level_of(other, executive);
	if (level >= 0) {
		WRITE_ONCE(other->woken[level], true);
		wake_up_process(host_guest_of(other)->task);
	}
	raw_spin_unlock_irqrestore(&guests_lock, flags);
	return level >= 0;
}

void guest_filter_join(struct host_guest *guest)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(guest->filter); i++) {
		u64 word = 0;

		for (unsigned int level = 0; level < guest->core.levels; level++)
			word |= guest->core.wants[level][i];
		WRITE_ONCE(guest->filter[i], word);
	}
}

/* --- the list */

void guest_list_add(struct host_guest *guest, struct task_struct *task,
		    const struct host_guest *parent)
{
	unsigned long flags;

	guest->target = get_task_struct(task);
	raw_spin_lock_irqsave(&guests_lock, flags);
	if (parent) {
		guest_chain_copy(&guest->core, &parent->core);
		guest_filter_join(guest);
	}
	list_add_tail_rcu(&guest->list, &guests);
	raw_spin_unlock_irqrestore(&guests_lock, flags);
}

void guest_list_remove(struct host_guest *guest)
{
	struct task_struct *task = guest->task ?: guest->target;
	unsigned long flags;

	raw_spin_lock_irqsave(&guests_lock, flags);
	WRITE_ONCE(guest_table[guest->core.id], NULL);
	guest->armed = false;
	list_del_rcu(&guest->list);
	guest->task = guest->target = NULL;
	raw_spin_unlock_irqrestore(&guests_lock, flags);
	put_task_struct(task); /* never the last reference */
}

bool guests_of(struct task_struct *process, guest_visit *visit, const void *with)
{
	struct task_struct *task;
	struct host_guest *guest;
	bool any = false;

	rcu_read_lock();
	list_for_each_entry_rcu(guest, &guests, list)
	{
		raw_spin_lock_irq(&guests_lock);
		task = guest->cancelled ? NULL : guest->task ?: guest->target;
		if (task && same_thread_group(task, process))
			any |= visit(guest, with);
		raw_spin_unlock_irq(&guests_lock);
	}
	rcu_read_unlock();
	return any;
}

/* --- references */

/*
 * The kernel of the guest's CPU looks records up with interrupts disabled. RCU does not see that on a CPU with nohz_full.
 * There, no lookup is in progress because the thread has been on that CPU since its record left the table, or because
 * guests_end() has interrupted all CPUs.
 */
static void guest_unused(struct kref *refs)
{
	struct host_guest *guest = container_of(refs, struct host_guest, refs);

	id_release(guest);
	system_put(guest->system);
	if (guest->spare)
		kfree_rcu(guest->spare, rcu);
	kfree_rcu(guest, rcu);
	module_put(THIS_MODULE);
}

void guest_put(struct host_guest *guest)
{
	kref_put(&guest->refs, guest_unused);
}
