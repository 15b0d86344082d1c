// SPDX-License-Identifier: GPL-2.0
/* The kernel calls GUEST_... for which Linux is needed, in the guest's own thread. */
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/slab.h>
#include <linux/time_namespace.h>
#include <linux/uaccess.h>
#include <asm/tsc.h>

#include <host/linux/guest/guest.h>
#include <kernel/page_table.h>

#define EARLY_MAX_MS 1
/* Maximum number of times that a copy makes memory present. Another thread can remove the memory each time. */
#define COPY_TRIES 8
/* Interval at which a held guest checks whether its signal has waited long enough. */
#define HELD_LOOK_MS 20

/* Returns the memory of the executive at an address up to the end of the page, or NULL. Interrupts are disabled. */
static u8 *own_memory(const struct host_guest *guest, word address, bool write)
{
	struct component *comp = guest->core.thread ? guest->core.thread->component : NULL;
	u8 *page = NULL;

	if (comp && address < LIMPET_USER_END &&
	    (!write || hal_page_table_writable(&comp->page_table->hal, address & PAGE_MASK)))
		page = hal_page_table_find(&comp->page_table->hal, address & PAGE_MASK);
	return page ? page + offset_in_page(address) : NULL;
}

/* Copies between the executive and a buffer, at most to the end of a page. */
static bool own_copy(const struct host_guest *guest, word address, void *buffer, word bytes,
		     bool write)
{
	u8 *own;

	guest_go_home((struct host_guest *)guest);
	own = own_memory(guest, address, write);
	if (own)
		memcpy(write ? (void *)own : buffer, write ? buffer : (void *)own, bytes);
	local_irq_enable();
	return own;
}

/*
 * Lets Linux make memory of the guest present. Refuses in the event FAULT, because Linux holds the memory's lock then.
 * Returns whether the copy can be tried again.
 */
static bool memory_fault_in(struct host_guest *host, bool write, const char __user *user,
			    word bytes)
{
	size_t missed;

	if (host->faulting)
		return false;
	guest_block_begin(host);
	missed = write ? fault_in_safe_writeable(user, bytes) : fault_in_readable(user, bytes);
	guest_block_end(host);
	return !missed && host->core.thread && !fatal_signal_pending(current);
}

/* The part of a copy that is in one page of the executive. */
static long copy_part(struct host_guest *host, bool write, word guest, word own, word bytes,
		      void *buffer)
{
	void __user *user = (void __user *)guest;

	if (write && !own_copy(host, own, buffer, bytes, false))
		return LIMPET_ERANGE;
	for (int tries = 0; write ? copy_to_user_nofault(user, buffer, bytes)
				  : copy_from_user_nofault(buffer, user, bytes);
	     tries++)
		if (tries == COPY_TRIES || !memory_fault_in(host, write, user, bytes))
			return LIMPET_EFAULT;
	return write || own_copy(host, own, buffer, bytes, true) ? LIMPET_OK : LIMPET_ERANGE;
}

/*
 * GUEST_COPY(direction, guest's address, own address, bytes). ERANGE: direction, bytes, or memory of the executive that
 * is not mapped, or not writable. EFAULT: memory of the guest; then a part may have been copied. ENOMEM: Linux has no
 * memory for it.
 */
static long request_copy(struct host_guest *host, word direction, word guest, word own, word bytes)
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

		status = copy_part(host, direction == LIMPET_GUEST_WRITE, guest, own, part, buffer);
		guest += part;
		own += part;
		bytes -= part;
	}
	kfree(buffer);
	return status;
}

/*
 * `held`: a signal does not end the wait immediately. Without its handler thread the event is sent
 * again.
 */
static bool wait_over(struct host_guest *guest, bool held)
{
	return READ_ONCE(guest->core.woken[guest->core.level]) ||
	       READ_ONCE(guest->system->guests_ended) || fatal_signal_pending(current) ||
	       !READ_ONCE(guest->core.thread) ||
	       (held ? guest_patience_over(guest, true) : signal_pending(current));
}

/* Sleeps until the time stamp, or until the wait may be over. */
static void wait_sleep(struct host_guest *guest, u64 stamp, bool held)
{
	const bool signal = held && signal_pending(current);
	ktime_t time = stamp == LIMPET_NEVER ? KTIME_MAX : host_clock(guest->system, stamp);

	if (signal)
		time = min(time, ktime_add_ms(ktime_get(), HELD_LOOK_MS));
	set_current_state(signal ? TASK_KILLABLE : TASK_INTERRUPTIBLE);
	if (!wait_over(guest, held))
		schedule_hrtimeout_range(time == KTIME_MAX ? NULL : &time, 0, HRTIMER_MODE_ABS);
	__set_current_state(TASK_RUNNING);
}

/*
 * GUEST_WAIT(deadline, early, held, wake). ERANGE: `early` is more than a millisecond, or `held` more than 1. ENOENT:
 * no guest `wake` - 1. ETIME: the deadline has passed. EINTR: a signal, or the end of the system, came before.
 */
static long request_wait(struct host_guest *guest, u64 deadline, u64 early, word held, word wake)
{
	const u64 stamp = deadline == LIMPET_NEVER ? deadline : deadline - min(deadline, early);

	if (early > (u64)tsc_khz * EARLY_MAX_MS || held > 1)
		return LIMPET_ERANGE;
	if (wake && !guest_wake(guest, guest->core.executive, wake - 1))
		return LIMPET_ENOENT;
	guest->state = LIMPET_GUEST_WAITS;
	guest->core.committed = 0;
	if (wake && !wait_over(guest, held))
		yield(); /* often that guest gives the CPU back soon, and sleeping costs twice as much */
	while (!wait_over(guest, held) && hal_time() < stamp)
		wait_sleep(guest, stamp, held);
	while (!wait_over(guest, held) && hal_time() < deadline)
		cpu_relax();
	if (READ_ONCE(guest->core.woken[guest->core.level])) {
		guest->core.woken[guest->core.level] = false;
		return LIMPET_OK;
	}
	return hal_time() >= deadline ? LIMPET_ETIME : LIMPET_EINTR;
}

/* GUEST_WAKE by a handler thread that runs in a guest's thread. call_guest_wake() is for other threads. */
static long request_wake(const struct host_guest *guest, word id)
{
	return guest_wake(guest, guest->core.executive, id) ? LIMPET_OK : LIMPET_ENOENT;
}

struct filter_part {
	const struct executive *executive;
	const word *words; /* the first one is the place of the others */
	size_t bytes;
};

static bool filter_part_set(struct host_guest *guest, const void *with)
{
	const struct filter_part *part = with;
	const int level = guest_level_of(&guest->core, part->executive);

	if (level >= 0) {
		memcpy(guest->core.wants[level] + part->words[0], part->words + 1, part->bytes);
		guest_filter_join(guest);
	}
	return true;
}

/*
 * GUEST_FILTER(first, four words): sets those words of the executive's filter, for all threads of
 * the guest's process; with first = LIMPET_GUEST_FILTER_FAULTS one word. ERANGE: `first` is not 0,
 * 4 or this.
 */
static long request_filter(struct host_guest *guest, const word *argument)
{
	const size_t words = argument[0] == LIMPET_GUEST_FILTER_FAULTS ? 1 : 4;
	const struct filter_part part = { guest->core.executive, argument, words * sizeof(word) };

	if (argument[0] != 0 && argument[0] != 4 && argument[0] != LIMPET_GUEST_FILTER_FAULTS)
		return LIMPET_ERANGE;
	guests_of(current, filter_part_set, &part);
	guest_filter_load(NULL);
	/* Other threads of the process can be on other CPUs. */
	if (!thread_group_empty(current))
		on_each_cpu(guest_filter_load, NULL, 1);
	return LIMPET_OK;
}

/* GUEST_INFO about clocks: those of the current thread's namespace. */
static long request_clocks(const struct host_guest *guest)
{
	struct timespec64 monotonic;
	word stamp, real;

	guest_go_home(guest);
	stamp = hal_time();
	ktime_get_ts64(&monotonic);
	real = ktime_get_real_ns();
	timens_add_monotonic(&monotonic);
	if (guest->core.thread)
		hal_regs_result(&guest->core.thread->regs, LIMPET_OK, stamp,
				timespec64_to_ns(&monotonic), real);
	local_irq_enable();
	return LIMPET_OK;
}

long guest_carry_out(struct host_guest *guest, const struct guest_request *request)
{
	const word *a = request->argument;
	const bool about_others = request->call == LIMPET_CALL_GUEST_WAKE ||
				  request->call >= LIMPET_CALL_GUEST_INFO;

	if (guest->ending && !about_others)
		return LIMPET_ESTATE;
	switch (request->call) {
		/* clang-format off */
	case LIMPET_CALL_GUEST_COPY: return request_copy(guest, a[0], a[1], a[2], a[3]);
	case LIMPET_CALL_GUEST_WAIT: return request_wait(guest, a[0], a[1], a[2], a[3]);
	case LIMPET_CALL_GUEST_WAKE: return request_wake(guest, a[0]);
	case LIMPET_CALL_GUEST_FILTER: return request_filter(guest, a);
	case LIMPET_CALL_GUEST_MAP: return guest_map(guest, a[0], a[1], a[2]);
	case LIMPET_CALL_GUEST_REVOKE: return guest_revoke(guest, a[0], a[1]);
	case LIMPET_CALL_GUEST_INFO: return request_clocks(guest);
	case LIMPET_CALL_GUEST_BREAK: guest_break_arm(guest); return LIMPET_OK; /* of this guest */
		/* clang-format on */
	}
	return LIMPET_ECALL;
}
