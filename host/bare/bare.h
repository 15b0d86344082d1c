/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The layer of beneath mode, which runs under Linux. It is a separate image, linked to a fixed
 * address, which the module copies into hidden memory. After the launch it does not call Linux, and
 * does not trust anything that Linux can write.
 *
 *   address of the layer                what
 *   BARE_TEXT                           its image: code read-only, data not executable
 *   the host's direct map of memory     the hidden region, at the address that Linux had for it
 *   that of bare_switch.S in the module code that runs while the page table is switched
 *   BARE_APIC                           the registers of the processor's local APIC, in xAPIC mode
 *   BARE_IO_APIC(n)                     those of I/O APIC n
 *
 * Each CPU runs in bare_entry on a stack in the region, with GIF = 0. GIF is 1 for a short time
 * after an exit, in which the processor takes interrupts. The layer gets all interrupts first. The
 * guest gets its interrupts through a virtual local APIC, when it accepts them.
 */
#ifndef BARE_H
#define BARE_H

#include <entry/entry.h>
#include <host/bare/call.h>
#include <host/bare/vm.h>
#include <host/gravity.h>
#include <kernel/setup.h>
#include <limpet/device.h>

/*
 * Linux maps no page below its text at BARE_TEXT + 16 MiB, so its TLB entries do not conflict with
 * the layer's addresses.
 */
#define BARE_TEXT 0xffffffff80000000ul
#define BARE_APIC (BARE_TEXT + 0x200000)
#define BARE_IO_APIC(n) (BARE_APIC + 0x1000 * (1 + (n)))
#define BARE_STACK 0x4000ul /* a stack's bytes and alignment. Its first word is struct bare_cpu */
/* Vectors of the highest class. Linux does not use them on AMD processors. */
#define BARE_VECTOR_TIMER 0xf0
#define BARE_VECTOR_KICK 0xf1	/* request of another CPU: check the inbox, the state and `flush` */
#define BARE_VECTOR_DEVICE 0xf2 /* shared by all devices of components */
/* Class of interrupts that are always masked: messages of devices with vectors of exceptions. */
#define BARE_PRIORITY 1u
#define BARE_MAGIC 0x6574706d694c6272ul

/*
 * Returns whether an interrupt can be sent to the guest, by a command of its CPUs, or by an entry
 * of an I/O APIC or local APIC. A level-triggered interrupt of the layer's class would block the
 * layer's own interrupts until the guest ends it.
 */
#define BARE_LEVEL (1u << 15) /* bit of a command and of an entry */
static inline bool bare_vector_of_guest(u32 entry)
{
	u32 vector = entry & 0xff;

	return vector >= 32 && (vector < BARE_VECTOR_TIMER ||
				(vector > BARE_VECTOR_DEVICE && !(entry & BARE_LEVEL)));
}

/*
 * Form of the layer's returns, which protects the processor against mispredicted returns, see
 * svm/guard.S.
 */
enum bare_returns {
	BARE_RETURNS_PLAIN,
	BARE_RETURNS_RETBLEED,
	BARE_RETURNS_SRSO,
	BARE_RETURNS_ALIAS,
	BARE_RETURNS
};

/* Distance of the second mapping of the image's first page; of the safe return from the function that untrains it. */
#define BARE_ALIAS 0x104000
#define BARE_SAFE 0x104

/* The start of the image. */
struct bare_header {
	u64 magic;
	u64 entry; /* bare_entry */
	u64 data;  /* first byte that is written; page aligned */
	u64 end;   /* end of the memory, which has zeros after the end of the file; page aligned */
	u64 thunk[BARE_RETURNS];   /* targets of the jumps of returns */
	u64 untrain[BARE_RETURNS]; /* functions that entries call */
	u64 guards, guards_end;	   /* u64[]: addresses of these calls */
	u64 exit_guard, exit_fill; /* the call after VMRUN, and the code that attach can insert */
};

/*
 * The virtual local APIC of the guest. It affects only the guest's interrupts. The sets have one
 * bit for each vector. `requested` and `service` are those of the guest. A vector in `level` is
 * also in service in the processor until the guest's end of interrupt. A vector in `owed` is in
 * service only in the processor. The layer writes its end of interrupt when no vector of higher
 * priority is in service there. A vector in `no_end` is requested, but was not in service in the processor: a spurious
 * interrupt, or one of the 8259. The guest does not end it, so it does not become in service.
 */
#define BARE_APIC_WORDS 8
struct bare_apic {
	u32 requested[BARE_APIC_WORDS], service[BARE_APIC_WORDS], level[BARE_APIC_WORDS];
	u32 owed[BARE_APIC_WORDS], no_end[BARE_APIC_WORDS];
	u32 priority, spurious, timer, divide, initial, command_high;
	u32 others_errors; /* errors of the previous guest, which the processor still reports */
	u64 due;	   /* time stamp at which its timer expires; BARE_NEVER: it is stopped */
	bool stale;	   /* interrupts are the previous guest's until this one enables its APIC */
	bool offered;	   /* the guest may take `vector` */
	u8 vector;
};

/* Requests a vector of the layer's own for the guest. */
static inline void bare_apic_request(struct bare_apic *apic, unsigned int vector)
{
	apic->requested[vector / 32] |= 1u << vector % 32;
}

#define BARE_NEVER (~0ull)
#define BARE_EARLY_US 2 /* maximum of gravity */
#define BARE_WINDOW_MS 10

/* Physical memory, described for page tables. */
struct bare_memory {
	unsigned int levels, bits; /* levels of page tables; bits of addresses */
	bool large;		   /* pages of 1 GiB may be used, else 2 MiB */
	word hidden, hidden_end;   /* the region, in multiples of 2 MiB */
	/*
	 * End of the part that the guest can read and execute, from its start: events, data for a
	 * restart, record.
	 */
	word open_end;
	/*
	 * The page of the APIC, which is not mapped for the guest, like the other pages in its MiB:
	 * a write there is an interrupt message of any kind to any CPU (APM vol. 2 section 16.11).
	 */
	word hole;
	/*
	 * Set by bare_nested_build(): the root, and the guest's entry for each page of the region.
	 */
	u64 *nested, *entries;
	u64 zeros, ones; /* entries for a page of zeros and for a page of ones */
};

static inline bool bare_in_hole(const struct bare_memory *memory, word physical)
{
	return physical >> 20 == memory->hole >> 20;
}

/* Free pages of the region, for page tables. */
struct bare_pages {
	u8 *next, *end;
	word virtual_offset; /* virtual minus physical address */
};

/*
 * A lock that CPUs of the layer share and hold for a short time. They get it in the order in which they asked for it,
 * so that guest code that takes it all the time does not exclude components.
 */
struct bare_lock {
	u16 next, served;
};

/* Takes a lock. (Single-threaded QEMU switches the CPU at PAUSE.) */
static inline void bare_lock(struct bare_lock *lock)
{
	const u16 own = __atomic_fetch_add(&lock->next, 1, __ATOMIC_ACQUIRE);

	while (__atomic_load_n(&lock->served, __ATOMIC_ACQUIRE) != own)
		hal_relax();
}

static inline void bare_unlock(struct bare_lock *lock)
{
	__atomic_store_n(&lock->served, lock->served + 1, __ATOMIC_RELEASE);
}

#define BARE_LOADS 32 /* maximum number of loads of page tables in the layer's image */

/* I/O APICs of the machine, as the firmware reports them to Linux. */
#define BARE_IO_APICS 16
#define BARE_IO_APIC_TO_MAX 254 /* maximum APIC ID to which an interrupt can be sent */
struct bare_io_apic {
	word physical;
	u32 first;  /* line of pin 0 */
	u32 select; /* the register that the guest has selected */
};

/* Configuration space of PCI functions in memory (PCI Express base specification 7.2.2). */
#define BARE_CONFIGS 8
struct bare_config {
	word physical;		  /* address of bus 0 */
	u32 segment, first, last; /* buses */
};

/* A resource that a component has and the guest has lost, by the kernel's number. */
struct bare_resource {
	struct bare_cpu *on; /* CPU of its component */
	/*
	 * INTERRUPT with a line of an I/O APIC: the I/O APIC, else NULL; the pin; the guest's entry
	 * of the pin.
	 */
	struct bare_io_apic *io_apic;
	u32 pin;
	u64 entry;
};

/*
 * A PCI function of a component, with the guest's values of its registers, which are restored at the end.
 */
struct bare_function {
	u32 id; /* id in the image */
	volatile u32 *config;
	u32 command, bar[6];
};

/* State of the layer and of the system that it runs, which its CPUs share. */
#define BARE_CPUS 64
#define BARE_LOG 0x4000 /* bytes, a power of two */
struct bare_log {
	u64 written, read; /* bytes, since attach */
	char text[BARE_LOG];
};

/* Restarts of the guest after its death: the stored data, and the counts. */
struct bare_again {
	u8 *memory; /* `size` bytes, which the guest can read and execute */
	word size;
	word physical;
	u32 kept;  /* enum limpet_kept */
	u32 limit; /* maximum number of restarts after a death, from the system file */
	u32 deaths, restarts;
	u32 death;		      /* enum limpet_death of the previous guest */
	struct limpet_record *record; /* record after `memory`; NULL: no memory is reserved */
	struct limpet_ioc_save save;  /* settings of this guest */
	struct bare_cpu *died;	      /* CPU on which it died */
};

struct bare_layer {
	struct bare_cpu *cpus[BARE_CPUS]; /* all CPUs of the layer */
	u32 count;
	u32 lock; /* serialises the guest's calls of all CPUs */

	struct bare_io_apic io_apic[BARE_IO_APICS];
	struct bare_config config[BARE_CONFIGS];
	u32 io_apics, configs;
	bool guarded;  /* components enter by guarded entries */
	bool remapped; /* an IOMMU of the guest determines interrupts in place of the I/O APICs */
	struct bare_lock device_lock; /* innermost; I/O APICs' registers, and ports that exit */
	u16 reset_port;		      /* port of the ACPI FADT; 0: it has no reset port */
	u8 reset_value;
	u8 *ports;		 /* bitmap of the ports whose accesses exit */
	struct bare_pages spare; /* pages for lower levels of the nested page table */
	struct limpet_image_resource given[LIMPET_RESOURCES_MAX];
	struct bare_resource resource[LIMPET_RESOURCES_MAX];
	struct bare_function function[LIMPET_RESOURCES_MAX];
	u32 resources, functions; /* number of those that components have */

	u8 *memory; /* `pages` pages of the region for a system */
	word pages;
	u8 *text;	      /* the layer's image, where it can be written */
	int load[BARE_LOADS]; /* loads of page tables in it, as distances from its start */
	u32 loads;
	const word *root; /* root of the layer's page table, at `cr3` */
	word cr3, virtual_offset;
	word xsave_mask;
	u64 ticks_per_ms;
	/* Time stamp ticks per tick of the APIC's timer, and the reverse, times 2^32. */
	u64 ticks_shift32, counts_shift32;
	struct bare_memory physical;

	u32 death;     /* enum limpet_death of the guest; 0: it runs */
	u64 silent_at; /* time stamp at which a guest without heartbeat is dead; BARE_NEVER */
	struct bare_again again;
	u32 state, end_reason; /* values of <limpet/device.h> */
	u32 linux_share;       /* per mille */
	u64 since, image_size;
	struct setup setup;
	struct cpu *cpu[LIMPET_CPUS_MAX];
	struct bare_cpu *on[LIMPET_CPUS_MAX]; /* indexed by CPU of the system */
	struct limpet_ioc_stat stat;	      /* buffer for a copy to the guest */
	struct bare_events *events; /* events in separate pages, which the guest can read */
	struct bare_cpu *notified;  /* CPU that gets `vector` for events; NULL: unset */
	u32 vector;
};

/* Task state segment (APM vol. 2 section 12.2.5). */
struct bare_tss {
	u32 reserved_0;
	u64 sp[3], reserved_1, ist[7], reserved_2;
	u16 reserved_3, io_map;
} __attribute__((packed));
#define BARE_GDT 10

/* One CPU of the layer, in the hidden region. */
struct bare_cpu {
	struct vm_cpu vm; /* vmrun.S: at offset 0 */
	u64 leave;	  /* bare_leave of the module */
	bool left;	  /* the CPU has left the layer */
	u64 exits;
	u64 arrived[4];			  /* svm/switch.S: vectors of interrupts that were taken */
	volatile bool nmi, machine_check; /* pending for the guest; set at any time */
	volatile bool refused;		  /* msr_access.S: the processor refused an access */
	struct bare_apic apic;

	struct bare_log *log; /* text of the components on this CPU */
	struct bare_layer *layer;
	u32 number; /* the guest's number of this CPU */
	u32 apic_id;
	/* Requests of any CPU: inject `vector` into the guest; flush the guest's translations. */
	bool notify, flush;
	/*
	 * `parked`: the guest does not run here until another of its CPUs starts this one. That CPU
	 * sets `init` to stop this one, and `start` to start it: the page of the startup IPI's
	 * vector, with BARE_START.
	 */
	volatile bool parked, init;
	volatile bool released; /* set by another CPU: leave, then wait for a startup IPI */
	volatile u32 start;
	struct entry_cpu entry; /* `cpu` is NULL while no system runs here */
	u64 due;		/* time stamp at which components need the CPU; BARE_NEVER */
	u64 fired;		/* last reached time stamp of these; 0: handled by the kernel */
	struct gravity gravity;
	/*
	 * The guest's share: components may use a part of each window, and then wait for its end.
	 */
	u64 window_end, used, held;
	u64 limit;	       /* time stamp of the next check of the share; BARE_NEVER */
	bool over;	       /* the limit was reached */
	u64 shares;	       /* number of times that the share was enforced */
	struct hal_fpu *guest; /* its vector state, while components run */
	word trap_stack[2];    /* tops: of NMI; of machine check, debug and double fault */
	struct bare_tss tss;
	u64 gdt[BARE_GDT];
};

/* Arguments of the module's bare_launch, for each CPU. */
struct bare_launch {
	u64 cr3, stack, entry, save; /* `save`: physical, for the processor's use (VM_HSAVE_PA) */
	struct bare_cpu *cpu;
	struct vmcb *vmcb;
};

/* Returns a zeroed page, or NULL if no page is left. */
void *bare_page(struct bare_pages *pages);

/*
 * Builds the nested page table. It maps all memory to itself, except the hole, and the hidden
 * region, which is mapped as a read-only page of zeros. Returns the root's physical address, or 0
 * if no page is left.
 */
word bare_nested_build(struct bare_pages *pages, struct bare_memory *memory);
/*
 * Sets the guest's access to a page outside the region: _NONE, so that each access exits; _ONES, a
 * read-only page of ones; _READ, the page itself, read-only; or _ALL. Returns false, and changes
 * nothing, if no page is left for a lower table. The caller must flush translations.
 */
enum bare_nested { BARE_NESTED_NONE, BARE_NESTED_ONES, BARE_NESTED_READ, BARE_NESTED_ALL };
bool bare_nested_set(struct bare_pages *pages, const struct bare_memory *memory, word physical,
		     enum bare_nested how);
/*
 * bare_hidden_show() maps a page of the region for the guest. bare_hidden_hide() hides all pages
 * between two addresses again, except the open ones. The caller must flush translations. Cost:
 * about ten instructions for each page.
 */
void bare_hidden_show(const struct bare_memory *memory, word physical);
void bare_hidden_hide(const struct bare_memory *memory, word physical, word end);

/*
 * Methods to reset a machine: PCI reset control, the keyboard controller, and System Control Port
 * A.
 */
#define BARE_PORT_RESET 0xcf9
#define BARE_PORT_KEYBOARD 0x64
#define BARE_PORT_SYSTEM 0x92
/* PCI configuration by ports: address and data, four bytes each. */
#define BARE_PORT_PCI 0xcf8
#define BARE_PORT_PCI_DATA 0xcfc
/*
 * policy.c: fill the maps of accesses that exit. `reset` is another port that resets the machine, or 0.
 */
void bare_ports_intercept(u8 *bitmap, u16 reset);
void bare_msrs_intercept(u8 *bitmap);
#define BARE_MSR_APIC_BASE 0x1bu
/* The registers of the local APIC in x2APIC mode, and the deadline of its timer. */
#define BARE_MSR_APIC 0x800u
#define BARE_MSR_APIC_LAST 0x8ffu
#define BARE_MSR_DEADLINE 0x6e0u
/* Machine check: banks of four registers. */
#define BARE_MSR_BANKS 0x400u
#define BARE_MSR_BANKS_LAST 0x4ffu
#define BARE_MSR_EFER 0xc0000080u

/* The layer's own page table. */
#define BARE_MAP_WRITE 2ul
#define BARE_MAP_DEVICE 0x18ul /* bits of a page that is not cached */
#define BARE_MAP_NX (1ul << 63)
/*
 * Maps all memory except the hidden region, at its address in the direct map. Returns false if no
 * page is left.
 */
bool bare_map_memory(struct bare_pages *pages, u64 *root, const struct bare_memory *memory);
/*
 * Maps a page of 4 KiB. `root` is the top level. Returns false if no page is left for a lower
 * level.
 */
bool bare_map(struct bare_pages *pages, u64 *root, unsigned int levels, word address, word physical,
	      word bits);

/* cpu.c: called before the guest's first VMRUN, and after its last one. */
void bare_cpu_begin(struct bare_cpu *cpu);
void bare_cpu_end(struct bare_cpu *cpu);
/*
 * Loads the IDT that matches TR: the one for components, or the one for the layer with the guest's
 * TR.
 */
void bare_idt(bool components);
/*
 * msr_access.S. Reads or writes an MSR of this processor. If the processor refuses the access, a read returns 0, a
 * write has no effect, and `refused` of the CPU is set.
 */
u64 bare_msr_read(u32 msr);
void bare_msr_write(u32 msr, u64 value);
/* msr.c: performs the guest's RDMSR or WRMSR that caused an exit. Returns false if it is an invalid operation. */
bool bare_msr_exit(struct bare_cpu *cpu, bool write);
/* svm/vmrun.S: the entry point of the layer on each CPU. */
void bare_entry(struct bare_cpu *cpu);
/*
 * run.c. The caller of bare_run and bare_yield is the layer, after an exit of the guest.
 * bare_run: runs components until they are idle, then serves the requests of other CPUs.
 * bare_yield: takes pending interrupts and runs components. Loops that take long or wait for a CPU call it.
 * bare_forget: clears the state of a system that no longer runs on this CPU.
 * bare_notify: makes the guest's vector for events pending, on the CPU that the guest named.
 */
void bare_run(struct bare_cpu *cpu);
void bare_yield(struct bare_cpu *cpu);
void bare_forget(struct bare_cpu *cpu);
void bare_notify(struct bare_cpu *cpu);
/* Loads the guest's registers that an entry does not load, and XCR0 with its value after INIT. */
void bare_state_load(struct bare_cpu *cpu);
/*
 * memory.c. bare_translations_forget: flushes the TLB of each CPU of the guest, after a change of the nested page
 * table. bare_hidden_forget: takes back the parts of the hidden region that the guest got since attach.
 */
void bare_translations_forget(struct bare_cpu *cpu);
void bare_hidden_forget(struct bare_cpu *cpu);
/* svm/switch.S: runs components until the kernel returns the CPU. */
void bare_components(struct entry_cpu *entry);
/*
 * Called by svm/switch.S. bare_serve serves the kernel's requests, and returns false if the guest gets the CPU.
 * bare_interrupted handles a vector that the processor took while a component ran.
 */
bool bare_serve(struct entry_cpu *entry);
void bare_interrupted(struct entry_cpu *entry, word vector);
/*
 * death.c.
 * bare_death: marks the guest as dead, for bare_exit. Returns false if no system runs and the next
 * guest is not kept.
 * bare_death_shutdown: does the same, because the guest cannot handle exceptions.
 * bare_death_write: returns whether a write to a port resets the machine; the guest is then dead.
 * bare_machine_reset: resets the machine.
 */
bool bare_death(struct bare_cpu *cpu, enum limpet_death cause);
void bare_death_shutdown(struct bare_cpu *cpu);
bool bare_death_write(struct bare_cpu *cpu, u16 port, u32 value, unsigned int size);
void bare_machine_reset(void) __attribute__((noreturn));
/* port.c: emulates the guest's access to a port that exits. Returns false if the instruction is unknown. */
bool bare_port_exit(struct bare_cpu *cpu);
/* guest.c. Copies from and to the guest's memory. Returns false if it is not mapped or hidden. */
bool bare_guest_read(const struct bare_cpu *cpu, word address, void *to, word size);
bool bare_guest_write(const struct bare_cpu *cpu, word address, const void *from, word size);
/* Copies from the guest's physical memory, within a page. Returns false if it has no memory there. */
bool bare_guest_copy(const struct bare_cpu *cpu, word physical, void *to, word size);
/* Returns whether the guest, in long mode, has mapped code at its handler of the vector. */
bool bare_guest_handles(const struct bare_cpu *cpu, unsigned int vector);
/* A MOV between a register and memory, as drivers access registers of devices. */
struct bare_move {
	unsigned int length; /* bytes of the instruction */
	unsigned int size;   /* bytes that are moved */
	bool store;
	bool immediate; /* store `value` */
	u8 reg;		/* 0 to 15 */
	u32 value;
};
bool bare_move_decode(const u8 *code, word size, struct bare_move *move);
/* Decodes the guest's next instruction. Returns false if it is not such a MOV. */
bool bare_move_read(struct bare_cpu *cpu, struct bare_move *move);
/*
 * io_apic.c: the I/O APICs, which the layer emulates for the guest. `n` is the number of a resource of the system.
 * _access: emulates an access of the guest, an instruction from bare_move_read, as bare_apic_access does.
 * _take: masks the pin of the resource's interrupt line and gives it to the resource. Returns false without a pin.
 * _route: unmasks the pin, with the resource's CPU as its destination. _open: unmasks it after its interrupt.
 * _came: returns whether its interrupt has arrived; masks a level-triggered pin until _open.
 * _give: returns the pin to the guest.
 * apic_processor.c: _load, _store: access a register of the machine's I/O APIC; the caller holds device_lock.
 */
bool bare_io_apic_access(struct bare_cpu *cpu, struct bare_io_apic *io,
			 const struct bare_move *move, word offset);
bool bare_io_apic_take(struct bare_layer *layer, u32 n);
void bare_io_apic_route(struct bare_layer *layer, u32 n);
void bare_io_apic_open(struct bare_layer *layer, u32 n);
bool bare_io_apic_came(struct bare_layer *layer, u32 n);
void bare_io_apic_give(struct bare_layer *layer, u32 n);
u32 bare_io_apic_load(const struct bare_layer *layer, const struct bare_io_apic *io, word offset);
void bare_io_apic_store(const struct bare_layer *layer, const struct bare_io_apic *io, word offset,
			u32 value);
/*
 * layer.c: the layer's tables. bare_cpu_find: the CPU with a number of the guest's, or NULL. bare_io_apic_at: the
 * I/O APIC with its registers in that page, or NULL. bare_resources_hide: returns whether a component has a part of
 * the memory or ports; _hide_function: whether it has the PCI function. bare_resources_add: adds a part. BARE_E2BIG:
 * the table is full. BARE_EEXIST: another component has a part of it.
 */
struct bare_cpu *bare_cpu_find(const struct bare_layer *layer, u32 number);
struct bare_io_apic *bare_io_apic_at(struct bare_layer *layer, word physical);
bool bare_resources_hide(const struct bare_layer *layer, u32 kind, word first, word count);
bool bare_resources_hide_function(const struct bare_layer *layer, u32 id);
long bare_resources_add(struct bare_layer *layer, const struct limpet_image_resource *given);
/*
 * resource.c: the devices, ports and memory of components.
 * _take: takes the resources in the image from the guest. A failed call changes nothing.
 * BARE_ENXIO: the machine has no such resource. BARE_E2BIG: a table of the layer is full.
 * _begin: enables their interrupts. _return: returns all of them to the guest.
 * _next: hides the resources from a new guest.
 * resource_event.c: _came: handles vector BARE_VECTOR_DEVICE. _told: reports the guest's death or
 * start to components.
 */
long bare_resources_take(struct bare_cpu *cpu, const struct limpet_image *image);
void bare_resources_begin(struct bare_layer *layer);
void bare_resources_return(struct bare_cpu *cpu);
void bare_resources_next(struct bare_cpu *cpu);
void bare_resources_came(struct bare_cpu *cpu);
void bare_resources_notify(struct bare_layer *layer);
/*
 * pci.c. _take: adds the parts of a PCI function to the resources. Errors as bare_resources_take.
 * _give: restores the function's registers for the guest, without bus mastering.
 * _size: returns the bytes behind a base address register, from its answer to a write of ones; 0 if it has none.
 */
long bare_pci_take(struct bare_layer *layer, const struct limpet_image_resource *given);
void bare_pci_give(const struct bare_function *function);
word bare_pci_size(u64 answer, bool ports, bool wide);
/*
 * restart.c. bare_stopped: returns whether the guest is stopped on this CPU.
 * bare_wait: runs components until this guest or another one continues here.
 * _init, _start: emulate the guest's INIT and start-up IPIs to the CPU with that APIC ID.
 */
#define BARE_START 0x100u
bool bare_stopped(const struct bare_cpu *cpu);
void bare_wait(struct bare_cpu *cpu);
void bare_init(struct bare_cpu *cpu, u32 apic_id);
void bare_start(struct bare_cpu *cpu, u32 apic_id, unsigned int page);
/* call.c: serves a call of the guest's kernel and returns its result. */
long bare_call(struct bare_cpu *cpu, u64 call, word argument, word size);

/*
 * apic_processor.c. bare_apic_kick: interrupts a CPU of the layer. _kick_other: the same unless `to` is the caller's
 * CPU, `cpu`. _init: sends INIT to a CPU that has left the layer.
 * apic_timer.c. bare_apic_timer: programs the processor's timer after a change of due or limit.
 * apic.c. _begin: moves the guest from the processor's APIC to the virtual one. _quiet, then _end: moves it back.
 * _reset: sets the virtual APIC to its state after INIT. bare_arrived: handles the vectors that the processor took.
 * _timer_came: handles the layer's timer, if the processor took no other vector. _ready: returns whether the guest
 * accepts its pending interrupt now. _offer: gives it to the processor before VMRUN. _taken: reads the result after
 * an exit.
 * apic_access.c, apic_msr.c. _access: emulates an access of the guest; returns false if the instruction is unknown.
 * _msr_read, _msr_write: the same for an MSR; return false if it is not of the APIC, or the value is invalid.
 * _features: returns ecx of CPUID's leaf 1 for the guest.
 */
void bare_apic_kick(const struct bare_cpu *to);
void bare_apic_kick_other(const struct bare_cpu *cpu, const struct bare_cpu *to);
void bare_apic_init(const struct bare_cpu *to);
void bare_apic_timer(struct bare_cpu *cpu);
void bare_apic_begin(struct bare_cpu *cpu);
void bare_apic_reset(struct bare_cpu *cpu);
void bare_apic_quiet(struct bare_cpu *cpu);
void bare_apic_end(struct bare_cpu *cpu);
void bare_arrived(struct bare_cpu *cpu);
void bare_apic_timer_came(struct bare_cpu *cpu);
void bare_apic_offer(struct bare_cpu *cpu);
void bare_apic_taken(struct bare_cpu *cpu);
bool bare_apic_ready(const struct bare_cpu *cpu);
bool bare_apic_access(struct bare_cpu *cpu, word offset);
bool bare_apic_msr_read(const struct bare_cpu *cpu, u32 msr, u64 *value);
bool bare_apic_msr_write(struct bare_cpu *cpu, u32 msr, u64 value);
u32 bare_apic_features(const struct bare_cpu *cpu, u32 features);
/* exit.c: handles an exit. Returns false if the guest leaves the layer. */
bool bare_exit(struct bare_cpu *cpu);

#endif
