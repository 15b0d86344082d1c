// SPDX-License-Identifier: GPL-2.0
/* /dev/limpet/guest: see <limpet/guest.h>. */
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/nospec.h>
#include <linux/pid.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include <host/linux/guest/guest.h>

/* --- executives */

struct place {
	struct system *system;
	struct cpu *cpu;
	struct executive *executive;
};

/* Returns whether another executive passes its guests to this one. */
static bool is_inner(const struct system *system, const struct executive *executive)
{
	const struct limpet_image_component *record = system->cpu[0]->record;
	const struct limpet_image *image = system->image;

	for (u32 i = 0; i < image->components; i++)
		if (record[i].guest == executive->component->index)
			return true;
	return false;
}

/* Called with system_lock. Returns whether guests can start. */
static bool is_running(const struct system *system)
{
	return !system->guests_ended && system->state == LIMPET_STATE_RUNNING;
}

/* Called with system_lock. Returns 0, -ENODEV, -ENOENT or -ENOTUNIQ. */
static int place_look(u32 id, u32 component, struct place *place)
{
	struct system *system = system_find(id);
	struct executive *executive = NULL;

	if (IS_ERR(system))
		return PTR_ERR(system);
	if (!is_running(system))
		return -ENODEV;
	place->system = system;
	place->executive = NULL;
	for (u32 n = 0; n < system->cpus; n++)
		while ((executive = executive_find(system->cpu[n], component, executive))) {
			if (component == LIMPET_GUEST_ANY && is_inner(system, executive))
				continue;
			if (place->executive)
				return -ENOTUNIQ; /* a guest must not depend on which was first */
			place->cpu = system->cpu[n];
			place->executive = executive;
		}
	return place->executive ? 0 : -ENOENT;
}

/* Finds the executive that is asked for. Returns 0 and a reference to its system, or a negative errno. */
static int place_find(const struct limpet_guest_enter *enter, struct place *place)
{
	int error;

	if (enter->flags & ~(LIMPET_GUEST_ALONE | LIMPET_GUEST_OPEN))
		return -EINVAL;
	mutex_lock(&system_lock);
	error = place_look(enter->system, enter->component, place);
	if (!error)
		kref_get(&place->system->refs);
	mutex_unlock(&system_lock);
	return error;
}

/* Gives the filter to the first executive, unless it has released the guest. */
static bool filter_one(struct host_guest *guest, const void *filter)
{
	if (!(guest->core.released & 1))
		memcpy(guest->core.wants[0], filter, sizeof(*guest->core.wants));
	guest_filter_join(guest);
	return true;
}

/* Returns a listed record of a thread that is to become a guest of a running system, or an ERR_PTR. */
static struct host_guest *record_make(const struct limpet_guest_enter *enter,
				      const struct place *place, struct task_struct *task)
{
	struct host_guest *guest = guest_memory();
	int error = -ENODEV;

	if (!guest)
		return ERR_PTR(-ENOMEM);
	mutex_lock(&system_lock);
	if (is_running(place->system)) {
		guest->core.cpu = place->cpu;
		error = guest_chain(&guest->core, place->executive) ? 0 : -ENOENT;
	}
	if (!error)
		error = guest_init(guest, place->system, place->cpu,
				   guest_user_find(task_cred_xxx(task, uid)));
	mutex_unlock(&system_lock);
	if (error) {
		kfree(guest);
		return ERR_PTR(error);
	}
	guest->flags = enter->flags;
	memset(guest->core.wants + 1, 0xff, (guest->core.levels - 1u) * sizeof(*guest->core.wants));
	filter_one(guest, enter->filter);
	guest_list_add(guest, task, NULL);
	return guest;
}

static long thread_enter(const struct limpet_guest_enter *enter)
{
	struct place place;
	struct host_guest *guest;
	int error = guest_current() ? -EBUSY : place_find(enter, &place);

	if (error)
		return error;
	guest = record_make(enter, &place, current);
	system_put(place.system);
	if (IS_ERR(guest))
		return PTR_ERR(guest);
	guest->entering = true;
	error = guest_join(guest);
	if (error) {
		guest_drop(guest);
		return error;
	}
	if (!capable(CAP_SYS_ADMIN))
		task_set_no_new_privs(current);
	guest_report_life(guest, LIMPET_GUEST_BEGIN);
	return 0;
}

/* --- other processes */

/* Returns whether this is the record of a thread that is a guest, or is to become one, and remains one. */
static bool is_guest_of(struct host_guest *guest, const void *task)
{
	return guest->target == task ||
	       (guest->task == task && !(atomic_read(&guest->duties) & DUTY_RELEASE));
}

/* Returns the process, with a reference, or an ERR_PTR. */
static struct task_struct *process_get(u32 number)
{
	struct pid *pid = find_get_pid((pid_t)number);
	struct task_struct *task = get_pid_task(pid, PIDTYPE_TGID);

	put_pid(pid);
	if (!task)
		return ERR_PTR(-ESRCH);
	if (task->flags & PF_KTHREAD) {
		put_task_struct(task);
		return ERR_PTR(-EPERM);
	}
	return task;
}

static int attach_thread(const struct limpet_guest_enter *enter, const struct place *place,
			 struct task_struct *task)
{
	struct host_guest *guest = record_make(enter, place, task);
	int error;

	if (IS_ERR(guest))
		return PTR_ERR(guest);
	guest->origin = LIMPET_GUEST_BY_ATTACH;
	guest->spare = guest_memory(); /* it may be making a thread now */
	error = guest->spare ? guest_duty_add(guest, task, DUTY_BEGIN) : -ENOMEM;
	if (error)
		guest_drop(guest);
	return error;
}

/* Returns a thread of the process that is not attached and not among the `count` in `done`, with a reference, or NULL. */
static struct task_struct *thread_next(struct task_struct *process, struct task_struct **done,
				       unsigned int count)
{
	struct task_struct *task, *found = NULL;

	rcu_read_lock();
	for_each_thread(process, task)
	{
		bool known = task->flags & (PF_EXITING | PF_IO_WORKER);

		for (unsigned int i = 0; i < count; i++)
			known |= done[i] == task;
		if (known)
			continue;
		found = get_task_struct(task);
		break;
	}
	rcu_read_unlock();
	return found;
}

/*
 * Also finds threads that the process creates meanwhile, because it repeats until a search finds no
 * thread.
 */
static long attach_all(const struct limpet_guest_enter *enter, const struct place *place,
		       struct task_struct *process, struct task_struct **done)
{
	struct task_struct *task;
	unsigned int count = 0;
	long error = 0;

	while (!error && count < LIMPET_GUEST_ATTACH_MAX &&
	       (task = thread_next(process, done, count))) {
		done[count++] = task;
		error = attach_thread(enter, place, task);
		if (error == -ESRCH)
			error = 0; /* this thread exits */
	}
	while (count)
		put_task_struct(done[--count]);
	return error;
}

static long attach_in(const struct limpet_guest_enter *enter, const struct place *place)
{
	struct task_struct **done, *process = process_get(enter->pid);
	long error;

	if (IS_ERR(process))
		return PTR_ERR(process);
	done = kvcalloc(LIMPET_GUEST_ATTACH_MAX, sizeof(*done), GFP_KERNEL_ACCOUNT);
	error = !done ? -ENOMEM
		: guests_of(process, is_guest_of, process)
			? -EBUSY
			: attach_all(enter, place, process, done);
	kvfree(done);
	put_task_struct(process);
	return error;
}

static long process_attach(const struct limpet_guest_enter *enter)
{
	struct place place;
	long error = capable(CAP_SYS_PTRACE) ? place_find(enter, &place) : -EPERM;

	if (error)
		return error;
	error = attach_in(enter, &place);
	system_put(place.system);
	return error;
}

/*
 * Makes its calls Linux's immediately. It stops being a guest when it is next on its way to user
 * level.
 */
static bool release_one(struct host_guest *guest, const void *unused)
{
	memset(guest->core.wants, 0, sizeof(guest->core.wants));
	guest_filter_join(guest);
	if (guest->task)
		guest_duty_add(guest, guest->task, DUTY_RELEASE);
	else
		guest->cancelled = true;
	return true;
}

/*
 * Changes the filters of all guests of a process, and of threads that are being attached. Returns 0.
 * -ESRCH: the process does not exist. -ENOENT: it has no guests.
 */
static long process_filter(u32 number, guest_visit *visit, const void *with)
{
	struct task_struct *process;
	bool found;

	if (!capable(CAP_SYS_PTRACE))
		return -EPERM;
	process = process_get(number);
	if (IS_ERR(process))
		return PTR_ERR(process);
	found = guests_of(process, visit, with);
	put_task_struct(process);
	if (!found)
		return -ENOENT;
	on_each_cpu(guest_filter_load, NULL, 1);
	return 0;
}

/* --- the list */

static void info_fill(struct limpet_guest_info *info, const struct host_guest *guest)
{
	const struct component *comp = guest->core.chain[0]->component;

	*info = (struct limpet_guest_info){
		.pid = (u32)task_tgid_vnr(guest->task),
		.tid = (u32)task_pid_vnr(guest->task),
		.id = guest->core.id,
		.cpu = guest->cpu,
		.component = comp ? comp->index : LIMPET_GUEST_ANY,
		.flags = guest->flags,
		.state = guest->state,
		.system = guest->system->id,
		.calls = guest->core.calls,
		.others = guest->core.others,
		.parked = guest->core.parked,
		.moved = guest->core.moved,
	};
	memcpy(info->filter, guest->filter, sizeof(info->filter));
}

static bool may_see(const struct host_guest *guest, bool all)
{
	return (all || uid_eq(task_uid(guest->task), current_uid())) &&
	       !guest->system->guests_ended;
}

/* Fills the record of the guest with this id. Returns false if there is none, or the caller may not see it. */
static bool info_take(struct limpet_guest_info *info, u32 id, bool all)
{
	struct guest *guest;
	bool seen;

	if (!READ_ONCE(guest_table[id]))
		return false;
	raw_spin_lock_irq(&guests_lock);
	guest = guest_table[id];
	seen = guest && may_see(host_guest_of(guest), all);
	if (seen)
		info_fill(info, host_guest_of(guest));
	raw_spin_unlock_irq(&guests_lock);
	return seen;
}

static long guests_list(const struct limpet_guest_list *list)
{
	struct limpet_guest_info __user *to = u64_to_user_ptr(list->buffer);
	const bool all = capable(CAP_SYS_PTRACE);
	struct limpet_guest_info info;
	u32 n = 0;

	for (u32 id = list->first; id < LIMPET_GUESTS_MAX && n < list->count; id++) {
		if (!info_take(&info, array_index_nospec(id, LIMPET_GUESTS_MAX), all))
			continue;
		if (copy_to_user(to + n, &info, sizeof(info)))
			return -EFAULT;
		n++;
	}
	return n;
}

/* --- the device */

static long ioc_filter(const struct limpet_guest_filter *filter)
{
	return filter->reserved ? -EINVAL : process_filter(filter->pid, filter_one, filter->filter);
}

static long guest_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	union {
		struct limpet_guest_enter enter;
		struct limpet_guest_filter filter;
		struct limpet_guest_list list;
	} copy;

	if (_IOC_SIZE(command) > sizeof(copy))
		return -ENOTTY;
	if (_IOC_DIR(command) & _IOC_WRITE &&
	    copy_from_user(&copy, (void __user *)argument, _IOC_SIZE(command)))
		return -EFAULT;
	switch (command) {
		/* clang-format off */
	case LIMPET_GUEST_IOC_ENTER: return thread_enter(&copy.enter);
	case LIMPET_GUEST_IOC_ATTACH: return process_attach(&copy.enter);
	case LIMPET_GUEST_IOC_RELEASE: return process_filter((u32)argument, release_one, NULL);
	case LIMPET_GUEST_IOC_FILTER: return ioc_filter(&copy.filter);
	case LIMPET_GUEST_IOC_LIST: return guests_list(&copy.list);
		/* clang-format on */
	}
	return -ENOTTY;
}

/*
 * With page-table isolation a guest's system call would enter with a page table that does not have Limpet's memory, and
 * an interrupt of its executive would go to Linux with that page table.
 */
static int guest_open(struct inode *inode, struct file *file)
{
	return boot_cpu_has(X86_FEATURE_PTI) ? -EOPNOTSUPP : 0;
}

static const struct file_operations operations = {
	.owner = THIS_MODULE,
	.open = guest_open,
	.unlocked_ioctl = guest_ioctl,
};

struct miscdevice guest_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "limpet-guest",
	.nodename = "limpet/guest",
	.mode = 0600,
	.fops = &operations,
};
