/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Resources: parts of the machine that the system's image assigns to components. A resource has no
 * object. The type, a and b of its capability describe it:
 *
 *   LIMPET_IO_PORTS        first port, number of ports
 *   LIMPET_DEVICE_MEMORY   number of the first physical page, number of pages
 *   LIMPET_INTERRUPT       number of the resource
 */
#ifndef KERNEL_RESOURCE_H
#define KERNEL_RESOURCE_H

#include <kernel/object.h>
#include <limpet/image.h>

_Static_assert(LIMPET_RESOURCES_MAX <= 64, "sets of them are words");

long call_resource_info(struct cpu *cpu, struct hal_regs *regs);
long call_resource_create(struct cpu *cpu, struct hal_regs *regs);
long call_io_read(struct cpu *cpu, struct hal_regs *regs);
long call_io_write(struct cpu *cpu, struct hal_regs *regs);
long call_interrupt_bind(struct cpu *cpu, struct hal_regs *regs);
long call_interrupt_ack(struct cpu *cpu, struct hal_regs *regs);

#endif
