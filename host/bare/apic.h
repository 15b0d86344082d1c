/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The local APIC (APM vol. 2 chapter 16): the processor's, and the guest's virtual one. Both stay
 * in the mode that Linux used at attach: xAPIC, with registers in memory, or x2APIC, with MSRs. A
 * register is named by its offset in memory. Only apic*.c include this file.
 */
#ifndef BARE_APIC_H
#define BARE_APIC_H

#include <host/bare/bare.h>

enum { /* registers */
       ID = 0x20,
       VERSION = 0x30,
       PRIORITY = 0x80,
       PROCESSOR_PRIORITY = 0xa0,
       END = 0xb0,
       LOGICAL_ID = 0xd0,
       LOGICAL_FORMAT = 0xe0, /* xAPIC only */
       SPURIOUS = 0xf0,
       SERVICE = 0x100,
       TRIGGER = 0x180,
       REQUESTED = 0x200,
       ERRORS = 0x280,
       COMMAND = 0x300,
       COMMAND_HIGH = 0x310, /* xAPIC only: in x2APIC mode, the upper half of COMMAND */
       TIMER = 0x320,
       LVT_THERMAL = 0x330,
       LVT_COUNTER = 0x340,
       LVT_PIN_0 = 0x350,
       LVT_PIN_1 = 0x360,
       LVT_ERROR = 0x370,
       INITIAL = 0x380,
       CURRENT = 0x390,
       DIVIDE = 0x3e0,
       SELF = 0x3f0,	 /* x2APIC only */
       MORE = 0x400,	 /* AMD only: number of LVT_MORE registers */
       LVT_MORE = 0x500, /* registers for machine checks and sampling */
};

#define VERSION_MORE (1u << 31) /* bit of VERSION: the register MORE exists */
#define MASKED (1u << 16)
#define PERIODIC (1u << 17) /* bit of TIMER */
#define DEADLINE (1u << 18)
#define DELIVERY_PENDING (1u << 12)
/* Bits of COMMAND. */
#define MODE_INIT 5u
#define ASSERT (1u << 14)
#define TO_SELF (1u << 18)
#define FIRST_VECTOR 16

/* apic_processor.c: the APIC of this CPU. apic_x2 is the mode of all CPUs. */
extern bool apic_x2;
void apic_mode_find(void);
u32 apic_read(word offset);
void apic_write(word offset, u32 value);
void apic_command(u32 to, u32 value);
/* Returns the APIC ID in a value of register ID, or in the upper half of a command. */
u32 apic_id_of(u32 value);
/* Returns the number of registers from LVT_MORE on. */
unsigned int apic_more(void);
/* Returns the time stamp at which a timer in mode DEADLINE expires, or 0 if it is stopped. */
u64 apic_deadline_read(void);
void apic_deadline_write(u64 deadline);

/* apic.c: operations for the guest's accesses. */
u32 apic_processor_priority(const struct bare_apic *apic);
void apic_end_of_interrupt(struct bare_apic *apic);
/* Ends interrupts that came for the previous guest. */
void apic_stale_end(struct bare_apic *apic);

/* apic_access.c: the guest's registers. */
u32 apic_virtual_read(const struct bare_cpu *cpu, word offset);
void apic_virtual_write(struct bare_cpu *cpu, word offset, u32 value);

/*
 * apic_timer.c: the guest's timer. _begin() moves it from the processor's APIC to the virtual one,
 * _end() moves it back. _set() and _start() handle writes of TIMER and INITIAL.
 */
void apic_timer_begin(struct bare_cpu *cpu);
void apic_timer_end(struct bare_cpu *cpu);
void apic_timer_expired(struct bare_cpu *cpu);
void apic_timer_set(struct bare_cpu *cpu, u32 value);
void apic_timer_start(struct bare_cpu *cpu, u32 counts);
u32 apic_timer_current(const struct bare_cpu *cpu);
u64 apic_timer_deadline(const struct bare_cpu *cpu);
void apic_timer_deadline_set(struct bare_cpu *cpu, u64 deadline);

#endif
