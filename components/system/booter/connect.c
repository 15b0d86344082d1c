// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/kernel_call.h>
#include <runtime/memory.h>

#include "booter.h"

/* Copies capabilities to all threads of a component. */
static void give_threads(const struct part *to, const struct part *of)
{
	if (of->thread_id)
		give(to, of->thread, LIMPET_SLOT_THREADS + of->thread_id, LIMPET_MANAGE);
	for (uint32_t i = 0; i < of->record->threads; i++)
		give(to, booter.thread[of->spare_id + i], LIMPET_SLOT_THREADS + of->spare_id + i,
		     LIMPET_MANAGE);
}

/*
 * Returns whether `scheduler` schedules the part's threads, directly or through other schedulers.
 */
static bool scheduled_by(const struct part *part, const struct part *scheduler)
{
	for (part = part->scheduler; part; part = part->scheduler)
		if (part == scheduler)
			return true;
	return false;
}

/*
 * Gives a scheduler its own thread and all threads that it schedules, directly or through other
 * schedulers, because it may have to dispatch one of them to let it leave the scheduler. Gives it
 * endpoints of the schedulers that it schedules, so that it can send them events.
 */
static void give_scheduled(const struct part *scheduler)
{
	give(scheduler, scheduler->thread, LIMPET_SLOT_THREADS + scheduler->thread_id,
	     LIMPET_MANAGE);
	for (uint32_t i = 0; i < booter.parts; i++) {
		const struct part *part = &booter.part[i];

		if (!scheduled_by(part, scheduler))
			continue;
		give_threads(scheduler, part);
		if (part->scheduler == scheduler &&
		    part->record->flags & LIMPET_COMPONENT_SCHEDULER)
			give(scheduler, part->endpoint, LIMPET_SLOT_ENDPOINTS + part->thread_id,
			     LIMPET_WRITE);
	}
}

/*
 * Gives a supervisor what it needs to restart a component; several components may have the same
 * scheduler. Also gives it what it needs to end the system: without the first scheduler nothing
 * runs.
 */
static void give_supervised(const struct part *supervisor)
{
	const struct part *root = booter.root;

	give(supervisor, root->component, LIMPET_SLOT_STOP, LIMPET_WRITE);
	if (root->supervisor != supervisor)
		give(supervisor, root->thread, LIMPET_SLOT_THREADS + root->thread_id,
		     LIMPET_MANAGE);
	for (uint32_t i = 0; i < booter.parts; i++) {
		const struct part *part = &booter.part[i];
		struct part *by = part->scheduler;

		if (part->supervisor != supervisor)
			continue;
		give(supervisor, part->component, LIMPET_SLOT_COMPONENTS + part->index,
		     LIMPET_MANAGE | LIMPET_WRITE | LIMPET_EXEC);
		give(supervisor, part->page_table, LIMPET_SLOT_SPACES + part->index,
		     LIMPET_MANAGE | LIMPET_WRITE);
		give_threads(supervisor, part);
		if (!by || by->endpoint_given)
			continue;
		by->endpoint_given = true;
		give(supervisor, by->endpoint, LIMPET_SLOT_ENDPOINTS + by->thread_id,
		     LIMPET_MANAGE);
	}
}

/*
 * Gives a memory manager the page tables of its clients and its own, and the capability tables of
 * those clients that are memory managers.
 */
static void give_served(const struct part *memory)
{
	for (uint32_t i = 0; i < booter.parts; i++) {
		const struct part *part = &booter.part[i];

		if (!part->window || (part->memory != memory && part != memory))
			continue;
		give(memory, part->page_table, LIMPET_SLOT_PAGE_TABLES + part->index,
		     LIMPET_MANAGE);
		if (part->memory && part->record->flags & LIMPET_COMPONENT_MEMORY && part != memory)
			give(memory, part->table, LIMPET_SLOT_TABLES + part->index, LIMPET_MANAGE);
	}
}

static bool imports_from(const struct part *part, const struct part *server)
{
	const struct limpet_image_wire *wire = &booter.wire[part->record->wire];

	for (uint32_t i = 0; i < part->record->wires; i++)
		if (wire[i].server == server->index)
			return true;
	return false;
}

/* Gives capabilities without rights, with which it can read whether the components were stopped. */
static void give_clients(const struct part *server)
{
	for (uint32_t i = 0; i < booter.parts; i++)
		if (imports_from(&booter.part[i], server))
			give(server, booter.part[i].component,
			     LIMPET_SLOT_COMPONENTS + booter.part[i].index, 0);
}

static struct part *part_named(const char *name)
{
	for (uint32_t i = 0; i < booter.parts; i++)
		if (strcmp(part_name(&booter.part[i]), name) == 0)
			return &booter.part[i];
	return NULL;
}

/*
 * Argument dispatch-to: gives the right to dispatch another component's thread. For measurements.
 */
static void give_dispatch(const struct part *part)
{
	const char *name = part_arg_text(part, "dispatch-to");
	const struct part *to = name ? part_named(name) : NULL;

	if (!name)
		return;
	if (!to || !to->thread_id)
		give_up_text("%s: dispatch-to: no component '%s' with a thread is on this CPU",
			     part_name(part), name);
	give(part, to->thread, LIMPET_SLOT_FREE, LIMPET_MANAGE);
}

/* Gives the right to stop the component that argument stop-of names, without other rights to it. For tests. */
static void give_stop(const struct part *part)
{
	const char *name = part_arg_text(part, "stop-of");
	const struct part *of = name ? part_named(name) : NULL;

	if (!name)
		return;
	if (!of)
		give_up_text("%s: stop-of: no component '%s' is on this CPU", part_name(part),
			     name);
	give(part, of->component, LIMPET_SLOT_STOP, LIMPET_WRITE);
}

/*
 * Arguments export-port, and import-port with import-cpu: give ports for events to and from another
 * CPU.
 */
static void give_ports(const struct part *part)
{
	int64_t export = part_arg(part, "export-port", -1);
	int64_t import = part_arg(part, "import-port", -1);
	long status = LIMPET_OK;

	if (export >= 0) {
		if (!part->thread_id)
			give_up_text("%s: export-port: it has no thread to receive",
				     part_name(part));
		status = limpet_call_port_export(LIMPET_BOOT_CPU, part->endpoint, (word) export);
	}
	if (status)
		give_up(part, "export its port", status);
	if (import >= 0)
		status = limpet_call_port_import(LIMPET_BOOT_CPU,
						 (word)part_arg(part, "import-cpu", -1),
						 (word)import, part->table, LIMPET_SLOT_PORT);
	if (status)
		give_up(part, "import a port", status);
}

void part_give(const struct part *part)
{
	const uint32_t flags = part->record->flags;
	word receive = LIMPET_READ | LIMPET_WRITE;

	give(part, part->table, LIMPET_SLOT_TABLE, LIMPET_MANAGE);
	if (part == booter.root) {
		receive |= LIMPET_MANAGE; /* it can receive the timer's events */
		give(part, LIMPET_BOOT_CPU, LIMPET_SLOT_CPU, LIMPET_MANAGE);
	}
	if (flags & LIMPET_COMPONENT_SCHEDULER)
		give_scheduled(part);
	if (part == booter.supervisor)
		give_supervised(part);
	if (part_interrupted(part))
		receive |= LIMPET_MANAGE; /* it binds its interrupts to the endpoint */
	if (flags & LIMPET_COMPONENT_CPU && part != booter.root)
		give(part, LIMPET_BOOT_CPU, LIMPET_SLOT_CPU, LIMPET_ALL);
	if (flags & LIMPET_COMPONENT_MEMORY)
		give_served(part);
	if (flags & LIMPET_COMPONENT_CLIENTS)
		give_clients(part);
	if (part->thread_id)
		give(part, part->endpoint, LIMPET_SLOT_ENDPOINT, receive);
	give_dispatch(part);
	give_stop(part);
	give_ports(part);
}

void part_wire(const struct part *part)
{
	const struct limpet_image_wire *wire = &booter.wire[part->record->wire];

	for (uint32_t i = 0; i < part->record->wires; i++) {
		const struct part *server = part_at(wire[i].server);
		long status = LIMPET_ENOENT;

		if (server)
			status = limpet_call_gate_create(server->component, wire[i].entry,
							 wire[i].badge, part->table, wire[i].slot);
		if (status)
			give_up_text("%s: cannot wire %s.%s: %s", part_name(part),
				     image_string(wire[i].import), image_string(wire[i].function),
				     server ? "the kernel refused it"
					    : "its server is not on this CPU");
	}
}

/*
 * Sets the fault handler after all components were initialised, because it could not handle faults
 * before. The gate is in the booter's table; the kernel keeps its values.
 */
void part_handle(const struct part *part)
{
	const struct part *handler = part->record->faults ? part_at(part->record->faults) : NULL;
	word gate;
	long status;

	if (!handler)
		return;
	gate = slot_take();
	status = limpet_call_gate_create(handler->component, part->record->faults_entry,
					 part->index + 1, LIMPET_BOOT_TABLE, gate);
	if (!status)
		status = limpet_call_component_handler(part->component, gate);
	if (status)
		give_up(part, "set its fault handler", status);
	slot_drop(gate);
}
