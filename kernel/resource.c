// SPDX-License-Identifier: GPL-2.0
#include <kernel/capability.h>
#include <kernel/cpu.h>

static const struct limpet_image_resource *resource_find(const struct cpu *cpu, word number)
{
	return number < cpu->resources ? &cpu->resource[index_clamp(number, cpu->resources)] : NULL;
}

/*
 * RESOURCE_INFO(cpu, number): returns the words of <limpet/call.h>. ERANGE: no resource has this
 * number.
 */
long call_resource_info(struct cpu *cpu, struct hal_regs *regs)
{
	const struct limpet_image_resource *resource;
	long error;

	if (!capability_get(cpu, hal_regs_word(regs, 0), LIMPET_CPU, LIMPET_MANAGE, &error))
		return error;
	resource = resource_find(cpu, hal_regs_word(regs, 1));
	if (!resource)
		return LIMPET_ERANGE;
	hal_regs_result(regs, LIMPET_OK,
			resource->kind | (word)resource->flags << 8 |
				(word)resource->component << 32,
			resource->first, resource->count);
	return CALL_DONE;
}

/*
 * RESOURCE_CREATE(cpu, number, T, destination): makes the capability to a resource. ERANGE: no
 * resource has this number, or it belongs to a component on another CPU, whose kernel must make the
 * capability. The CPU's capability needs GRANT in addition to MANAGE, so that a scheduler, which
 * has only MANAGE, cannot get a device.
 */
long call_resource_create(struct cpu *cpu, struct hal_regs *regs)
{
	const unsigned int access = LIMPET_READ | LIMPET_WRITE | LIMPET_GRANT;
	const struct limpet_image_resource *resource;
	struct capability *from, *to;
	long error;

	from = capability_get(cpu, hal_regs_word(regs, 0), LIMPET_CPU, LIMPET_MANAGE | LIMPET_GRANT,
			      &error);
	to = capability_empty(cpu, from, hal_regs_word(regs, 2), hal_regs_word(regs, 3), &error);
	if (!to)
		return error;
	resource = resource_find(cpu, hal_regs_word(regs, 1));
	if (!resource || cpu->record[resource->component].cpu != cpu->number)
		return LIMPET_ERANGE;
	switch (resource->kind) {
	case LIMPET_RESOURCE_PORTS:
		capability_derive(to, from, LIMPET_IO_PORTS, NULL, resource->first, resource->count,
				  access);
		return LIMPET_OK;
	case LIMPET_RESOURCE_MEMORY:
		capability_derive(to, from, LIMPET_DEVICE_MEMORY, NULL,
				  resource->first / LIMPET_PAGE, resource->count / LIMPET_PAGE,
				  access);
		return LIMPET_OK;
	case LIMPET_RESOURCE_INTERRUPT:
		capability_derive(to, from, LIMPET_INTERRUPT, NULL, resource - cpu->resource, 0,
				  LIMPET_WRITE | LIMPET_MANAGE | LIMPET_GRANT);
		return LIMPET_OK;
	}
	return LIMPET_ERANGE;
}

/*
 * Checks whether words 0 to 2 of the call name I/O ports that the caller may access. Returns
 * LIMPET_OK or the error.
 */
static long ports_check(struct cpu *cpu, struct hal_regs *regs, unsigned int rights)
{
	word port = hal_regs_word(regs, 1), bytes = hal_regs_word(regs, 2);
	long error;
	struct capability *cap =
		capability_get(cpu, hal_regs_word(regs, 0), LIMPET_IO_PORTS, rights, &error);

	if (!cap)
		return error;
	if ((bytes != 1 && bytes != 2 && bytes != 4) || port < cap->a || port - cap->a >= cap->b ||
	    bytes > cap->b - (port - cap->a))
		return LIMPET_ERANGE;
	return LIMPET_OK;
}

/*
 * IO_READ(ports, port, bytes): word 0 is the value of 1, 2 or 4 bytes. ERANGE: outside the ports,
 * or other `bytes`.
 */
long call_io_read(struct cpu *cpu, struct hal_regs *regs)
{
	long error = ports_check(cpu, regs, LIMPET_READ);

	if (error)
		return error;
	hal_regs_result(regs, LIMPET_OK,
			hal_io_read(hal_regs_word(regs, 1), hal_regs_word(regs, 2)), 0, 0);
	return CALL_DONE;
}

/* IO_WRITE(ports, port, bytes, value): writes the value. Errors as IO_READ. */
long call_io_write(struct cpu *cpu, struct hal_regs *regs)
{
	long error = ports_check(cpu, regs, LIMPET_WRITE);

	if (!error)
		hal_io_write(hal_regs_word(regs, 1), hal_regs_word(regs, 2),
			     hal_regs_word(regs, 3));
	return error;
}

/*
 * INTERRUPT_BIND(interrupt, endpoint, bits): the endpoint, in place of the last one, gets `bits`
 * for each interrupt. Earlier interrupts are only counted. ERANGE: `bits` is 0 or contains bits of
 * the kernel's own events.
 */
long call_interrupt_bind(struct cpu *cpu, struct hal_regs *regs)
{
	word bits = hal_regs_word(regs, 2);
	long error;
	struct capability *cap, *ep;
	bool message;

	cap = capability_get(cpu, hal_regs_word(regs, 0), LIMPET_INTERRUPT, LIMPET_MANAGE, &error);
	ep = capability_next(cpu, cap, hal_regs_word(regs, 1), LIMPET_ENDPOINT, LIMPET_MANAGE,
			     &error);
	if (!ep)
		return error;
	if (!bits || bits & (LIMPET_EVENT_TIMER | LIMPET_EVENT_EARLY))
		return LIMPET_ERANGE;
	source_bind(&cpu->source[INBOX_INTERRUPT + cap->a], (struct endpoint *)ep->object, bits);
	message = cpu->resource[cap->a].first == LIMPET_LINE_MESSAGE;
	hal_regs_result(regs, LIMPET_OK, message ? cpu->message : 0,
			message ? cpu->message_data : 0, 0);
	return CALL_DONE;
}

/*
 * INTERRUPT_ACK(interrupt): unmasks a level-triggered interrupt. Word 0 is the number of
 * interrupts. For LIMPET_LINE_LINUX, word 1 is the cause of Linux's end, or 0 while Linux runs.
 */
long call_interrupt_ack(struct cpu *cpu, struct hal_regs *regs)
{
	long error;
	struct capability *cap =
		capability_get(cpu, hal_regs_word(regs, 0), LIMPET_INTERRUPT, LIMPET_WRITE, &error);
	const struct limpet_image_resource *resource;

	if (!cap)
		return error;
	resource = &cpu->resource[cap->a];
	if (resource->flags & LIMPET_RESOURCE_LEVEL)
		host_interrupt_ack(&cpu->host, cap->a);
	hal_regs_result(regs, LIMPET_OK, cpu->source[INBOX_INTERRUPT + cap->a].count,
			resource->first == LIMPET_LINE_LINUX ? cpu->inbox.host_state : 0, 0);
	return CALL_DONE;
}
