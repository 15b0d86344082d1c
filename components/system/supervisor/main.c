// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/memory.h>
#include <runtime/time.h>

#include <export/faults.h>
#include <export/heartbeat.h>
#include <import/sched.h>

#include "debug.h"

long supervisor_handle(word badge, word kind, word address, word code, word ip, word thread,
		       word component);
_Noreturn void supervise(const struct limpet_info *info);

bool supervisor_is_inside(void);

bool supervisor_is_inside(void)
{
	return supervisor_inside[limpet_thread_id() % LIMPET_THREADS_MAX];
}

/* Returns whether the thread was inside `component` when it faulted. */
static bool came_through(const struct supervised *supervised, uint32_t component)
{
	struct limpet_out out;

	for (word n = 0; component && n < LIMPET_DEPTH_MAX; n++) {
		if (limpet_call_fault_read(LIMPET_SLOT_COMPONENTS + supervised->info->component,
					   LIMPET_FAULT_CALLER(n), &out))
			return false;
		if (out.w0 == component)
			return true;
	}
	return false;
}

/*
 * The arguments come from the kernel, or from a program that passes on one of its own faults. FAULT_READ confirms that
 * the thread handles a fault of the component, so a program cannot cause a restart of another component. The badge
 * identifies the component that faulted, or another handler that could not repair the fault. On a thread inside that
 * handler, nothing is done that could invoke the handler again.
 */
long supervisor_handle(word badge, word kind, word address, word code, word ip, word thread,
		       word component)
{
	struct crash crash = { limpet_time(), kind, address, code, ip, thread };
	struct supervised *supervised = supervised_of(component);
	unsigned int self = limpet_thread_id() % LIMPET_THREADS_MAX;
	struct crash_path path = { .fault = true };
	struct limpet_out out;
	long debugged;

	if (!supervised || limpet_call_fault_read(LIMPET_SLOT_COMPONENTS + component, 0, &out))
		return LIMPET_ECRASH;
	debugged = debug_fault(supervised, &crash);
	if (debugged != DEBUG_NOT_OURS)
		return debugged;
	if (!supervised_claim(supervised))
		return LIMPET_ECRASH;
	supervisor_inside[self] = 1;
	path.direct = badge == component + 1 && !came_through(supervised, supervisor.keeper);
	path.quiet = came_through(supervised, supervisor.log);
	supervised_crashed(supervised, &crash, &path);
	supervisor_inside[self] = 0;
	return LIMPET_ECRASH;
}

long heartbeat_serve_beat(word badge)
{
	struct supervised *supervised = supervised_of(badge - 1);

	if (!supervised)
		return LIMPET_ENOENT;
	__atomic_store_n(&supervised->last_heartbeat, limpet_time(), __ATOMIC_RELAXED);
	return LIMPET_OK;
}

_Noreturn void supervise(const struct limpet_info *info)
{
	supervisor_inside[info->thread % LIMPET_THREADS_MAX] = 1;
	for (uint32_t i = 0; i < supervisor.supervised_count; i++) {
		checkpoint_take(&supervisor.supervised[i]);
		supervisor.supervised[i].last_heartbeat = limpet_time();
	}
	supervisor.started = true;
	for (;;) {
		uint64_t now = limpet_time(), next = debug_check(now);

		for (uint32_t i = 0; i < supervisor.supervised_count; i++) {
			uint64_t at = supervised_check(&supervisor.supervised[i], now);

			next = at < next ? at : next;
		}
		sched_block_until(next);
	}
}

/* Returns the component that serves an import of the supervisor, or 0. */
static uint32_t server_of(const struct limpet_info *info, const char *import)
{
	const struct limpet_image_component *component = &supervisor.component[info->index];
	const struct limpet_image_wire *wire =
		(const void *)((const char *)supervisor.image + supervisor.image->wires_at);

	for (uint32_t i = component->wire; i < component->wire + component->wires; i++)
		if (strcmp(image_text(wire[i].import), import) == 0)
			return wire[i].server;
	return 0;
}

/* Returns the thread of the root scheduler. */
static uint32_t root_find(const struct limpet_info *info)
{
	for (uint32_t id = 1; id <= info->threads && id < LIMPET_THREADS_MAX; id++)
		if (!info->thread_of[id].scheduler)
			return id;
	return 0;
}

static void supervised_find(const struct limpet_info *info)
{
	const struct limpet_info_supervised *found = (const void *)info->supervision;

	supervisor.supervised_count = info->supervised;
	for (uint32_t i = 0; i < info->supervised; i++) {
		struct supervised *supervised = &supervisor.supervised[i];

		*supervised =
			(struct supervised){ .info = &found[i],
					     .record = &supervisor.component[found[i].component],
					     .last_heartbeat = limpet_time() };
		supervised->name = image_text(supervised->record->name);
		build_begin(supervised);
	}
}

long component_init(const struct limpet_info *info)
{
	if (!info->image || !info->channel)
		return LIMPET_ENOENT;
	supervisor.image = (const struct limpet_image *)info->image;
	supervisor.component =
		(const void *)((const char *)info->image + supervisor.image->components_at);
	supervisor.ms = info->ticks_per_ms;
	supervisor.log = server_of(info, "log");
	supervisor.keeper = server_of(info, "keeper");
	supervisor.root = root_find(info);
	supervised_find(info);
	return records_init(info);
}
