/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts that serve the calls of the guest's kernel: <host/bare/call.h>. `argument` and `size` are the guest's
 * registers. Components run during a call.
 */
#ifndef BARE_SYSTEM_H
#define BARE_SYSTEM_H

#include <host/bare/bare.h>

/* memory.c. Copy from and to the guest's memory. Return false if it is not mapped or hidden; a part may be copied. */
#define COPY_STEP 256ul /* bytes copied between two checks for interrupts */
bool memory_read(struct bare_cpu *cpu, word address, void *to, word size);
bool memory_write(struct bare_cpu *cpu, word address, const void *from, word size);
/* Lets components run, while the caller waits for another CPU. */
void moment_wait(struct bare_cpu *cpu);

/* system.c */
const struct limpet_image *image_of(const struct bare_layer *layer);
long call_leave(struct bare_cpu *cpu);
long call_release(struct bare_cpu *cpu, word number);
long call_load(struct bare_cpu *cpu, word argument);
long call_stop(struct bare_cpu *cpu);

/* channel.c */
long call_channel(struct bare_cpu *cpu, word argument);
long call_notify(struct bare_cpu *bare, word cpu, word number);
long call_vector(struct bare_cpu *cpu, word number, word vector);

/* trace.c */
long call_log(struct bare_cpu *cpu, word argument, word size);
long call_trace(struct bare_cpu *cpu, word kinds);
long call_trace_read(struct bare_cpu *cpu, word argument);

#endif
