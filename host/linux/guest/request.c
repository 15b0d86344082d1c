// SPDX-License-Identifier: GPL-2.0
/* The kernel calls GUEST_... for which Linux is needed, in the guest's own thread. */
#include <linux/freezer.h>
#include <linux/hrtimer.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <asm/tsc.h>

#include <host/linux/guest/guest.h>
#include <kernel/page_table.h>

#define EARLY_MAX_MS 1

/* Returns the memory of the executive at an address up to the end of the page, or NULL. Interrupts are disabled. */
static u8 *own_memory(const struct host_guest *g, word address, bool write)
{
	struct component *c = g->guest.thread ? g->guest.thread->component : NULL;
	u8 *page = NULL;

	if (c && address < LIMPET_USER_END &&
	    (!write || hal_page_table_writable(&c->page_table->hal, address & PAGE_MASK)))
		page = hal_page_table_find(&c->page_table->hal, address & PAGE_MASK);
	return page ? page + offset_in_page(address) : NULL;
}

/* Copies between the executive and a buffer, at most to the end of a page. */
static bool own_copy(const struct host_guest *g, word address, void *buffer, word bytes, bool write)
{
	u8 *own;

	guest_go_home((struct host_guest *)g);
	own = own_memory(g, address, write);
	if (own)
		memcpy(write ? (void *)own : buffer, write ? buffer : (void *)own, bytes);
	local_irq_enable();
	return own;
}

/* The part of a copy that is in one page of the executive. */
static long copy_part(const struct host_guest *g, bool write, word guest, word own, word bytes,
		      void *buffer)
{
	void __user *user = (void __user *)guest;

	if (write)
		return !own_copy(g, own, buffer, bytes, false) ? LIMPET_ERANGE
		       : copy_to_user(user, buffer, bytes)     ? LIMPET_EFAULT
							       : LIMPET_OK;
	if (copy_from_user(buffer, user, bytes))
		return LIMPET_EFAULT;
	return own_copy(g, own, buffer, bytes, true) ? LIMPET_OK : LIMPET_ERANGE;
}

/*
 * GUEST_COPY(direction, guest's address, own address, bytes). ERANGE: direction, bytes, or memory of the executive that
 * is not mapped, or not writable. EFAULT: memory of the guest; then a part may have been copied. ENOMEM: Linux has no
 * memory for it.
 */
static long request_copy(struct host_guest *g, word direction, word guest, word own, word bytes)
{
	void *buffer;
	long status = LIMPET_OK;

	if (direction > LIMPET_GUEST_WRITE || !bytes || bytes > LIMPET_GUEST_COPY_MAX)
		return LIMPET_ERANGE;
	buffer = kmalloc(bytes, GFP_KERNEL);
	if (!buffer)
		return LIMPET_ENOMEM;
	while (bytes && !status) {
		word part = min(bytes, PAGE_SIZE - offset_in_page(own));

		status = copy_part(g, direction == LIMPET_GUEST_WRITE, guest, own, part, buffer);
		guest += part;
		own += part;
		bytes -= part;
	}
	kfree(buffer);
	return status;
}

static bool wait_over(const struct host_guest *g)
{
	return READ_ONCE(g->guest.woken) || READ_ONCE(g->system->guests_ended) ||
	       signal_pending(current);
}

/* Sleeps until `ticks` before the deadline, or until the wait is over. */
static void wait_sleep(struct host_guest *g, u64 deadline, u64 early)
{
	const u64 now = hal_time(), wake = deadline > early ? deadline - early : 0;
	ktime_t time = ktime_get();

	if (deadline != LIMPET_NEVER && wake <= now)
		return;
	if (deadline != LIMPET_NEVER)
		time = ktime_add_ns(
			time, mul_u64_u64_shr(wake - now, g->system->ns_per_tick_shift32, 32));
	set_current_state(TASK_INTERRUPTIBLE);
	if (!wait_over(g))
		schedule_hrtimeout_range(deadline == LIMPET_NEVER ? NULL : &time, 0,
					 HRTIMER_MODE_ABS);
	__set_current_state(TASK_RUNNING);
}

/*
 * GUEST_WAIT(deadline, early). ERANGE: `early` is more than a millisecond. ETIME: the deadline has passed. EINTR: a
 * signal, or the end of the system, came before.
 */
static long request_wait(struct host_guest *g, u64 deadline, u64 early)
{
	if (early > (u64)tsc_khz * EARLY_MAX_MS)
		return LIMPET_ERANGE;
	g->state = LIMPET_GUEST_WAITS;
	while (!wait_over(g) && (deadline == LIMPET_NEVER || hal_time() + early < deadline))
		wait_sleep(g, deadline, early);
	while (!wait_over(g) && hal_time() < deadline)
		cpu_relax();
	if (READ_ONCE(g->guest.woken)) {
		g->guest.woken = false;
		return LIMPET_OK;
	}
	return deadline != LIMPET_NEVER && hal_time() >= deadline ? LIMPET_ETIME : LIMPET_EINTR;
}

/* GUEST_FILTER(first, four words): all threads of the guest's process get them. ERANGE: `first` is not 0 or 4. */
static long request_filter(struct host_guest *g, const word *argument)
{
	struct host_guest *other;
	unsigned long flags;

	if (argument[0] != 0 && argument[0] != 4)
		return LIMPET_ERANGE;
	raw_spin_lock_irqsave(&guests_lock, flags);
	list_for_each_entry(other, &guests, list)
		if (other->guest.process == g->guest.process)
			memcpy(other->filter + argument[0], argument + 1, 4 * sizeof(word));
	list_for_each_entry(other, &guests_coming, list)
		if (same_thread_group(other->target, current))
			memcpy(other->filter + argument[0], argument + 1, 4 * sizeof(word));
	raw_spin_unlock_irqrestore(&guests_lock, flags);
	preempt_disable();
	guest_filter_load(g);
	preempt_enable();
	return LIMPET_OK;
}

/* GUEST_WAKE and _INFO of a thread that is inside, as call_guest_wake() and call_guest_info() do it for others. */
static long request_wake(struct host_guest *g, word id)
{
	struct host_guest *other;
	unsigned long flags;
	long status = LIMPET_ENOENT;

	raw_spin_lock_irqsave(&guests_lock, flags);
	list_for_each_entry(other, &guests, list) {
		if (other->guest.id != id || other->guest.executive != g->guest.executive)
			continue;
		WRITE_ONCE(other->guest.woken, true);
		wake_up_process(other->task);
		status = LIMPET_OK;
		break;
	}
	raw_spin_unlock_irqrestore(&guests_lock, flags);
	return status;
}

static long request_info(struct host_guest *g, word id)
{
	struct host_guest *other;
	unsigned long flags;
	word number = 0, process = 0;

	raw_spin_lock_irqsave(&guests_lock, flags);
	list_for_each_entry(other, &guests, list)
		if (other->guest.id == id && other->guest.executive == g->guest.executive) {
			number = other->guest.number;
			process = other->guest.process;
		}
	raw_spin_unlock_irqrestore(&guests_lock, flags);
	guest_go_home(g);
	if (g->guest.thread)
		hal_regs_result(&g->guest.thread->regs, LIMPET_OK, number, process, 0);
	local_irq_enable();
	return number ? LIMPET_OK : LIMPET_ENOENT;
}

long guest_carry_out(struct host_guest *g, const struct guest_request *request)
{
	const word *a = request->argument;
	const bool about_others = request->call == LIMPET_CALL_GUEST_WAKE ||
				  request->call == LIMPET_CALL_GUEST_INFO;

	if (g->ending && !about_others)
		return LIMPET_ESTATE;
	switch (request->call) {
	case LIMPET_CALL_GUEST_COPY:
		return request_copy(g, a[0], a[1], a[2], a[3]);
	case LIMPET_CALL_GUEST_WAIT:
		return request_wait(g, a[0], a[1]);
	case LIMPET_CALL_GUEST_WAKE:
		return request_wake(g, a[0]);
	case LIMPET_CALL_GUEST_FILTER:
		return request_filter(g, a);
	case LIMPET_CALL_GUEST_MAP:
		return guest_map(g, a[0], a[1], a[2]);
	case LIMPET_CALL_GUEST_REVOKE:
		return guest_revoke(g, a[0], a[1]);
	case LIMPET_CALL_GUEST_INFO:
		return request_info(g, a[0]);
	}
	return LIMPET_ECALL;
}
