/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Beneath: the layer that runs under Linux. It is an image of its own, linked to one address, that
 * the module copies into hidden memory; once launched it calls nothing of Linux and trusts nothing
 * that Linux can write.
 *
 *   address of the layer                what
 *   BARE_TEXT                           its image: code read-only, data not executable
 *   the host's direct map of memory     the hidden region, at the address that Linux had for it
 *   that of bare_switch.S in the module code that runs while the page table is switched
 *   BARE_APIC                           the registers of the processor's local APIC
 *
 * Each CPU runs in bare_entry on a stack in the region, with GIF = 0 but for a moment after an exit in
 * which interrupts are taken. All of them come to the layer first; the guest gets its own through a
 * virtual local APIC, whenever it lets them in.
 */
#ifndef BARE_H
#define BARE_H

#include <entry/entry.h>
#include <host/bare/call.h>
#include <host/bare/vmcb.h>
#include <host/gravity.h>
#include <kernel/setup.h>
#include <limpet/device.h>

/* Linux maps nothing below its text at BARE_TEXT + 16 MiB, so no translation of its gets in the way. */
#define BARE_TEXT 0xffffffff80000000ul
#define BARE_APIC (BARE_TEXT + 0x200000)
#define BARE_STACK 0x4000ul /* of a CPU, aligned to it; its first word is the struct bare_cpu */
/* Vectors of the highest class, and unused by the guest on AMD processors. */
#define BARE_VECTOR_TIMER 0xf0
#define BARE_VECTOR_KICK 0xf1 /* of another CPU: look at your inbox, at the state, at `flush` */
#define BARE_MAGIC 0x6574706d694c6272ul

/* What the image begins with. */
struct bare_header {
	u64 magic;
	u64 entry; /* bare_entry */
	u64 data;  /* first byte that is written; page aligned */
	u64 end;   /* of the memory that it needs, zero where the file has ended; page aligned */
};

/* Registers of the guest that are not in the control block; the order is known to vmrun.S. */
struct bare_regs {
	u64 bx, cx, dx, si, di, bp, r8, r9, r10, r11, r12, r13, r14, r15;
};

/*
 * The local APIC that the guest sees. What it switches off is off for it alone. One bit a vector:
 * requested; in service; in service in the processor, too, until the guest's end of interrupt; in
 * service there alone, and its end is given as soon as nothing of higher priority is.
 */
#define BARE_APIC_WORDS 8
struct bare_apic {
	u32 requested[BARE_APIC_WORDS], service[BARE_APIC_WORDS], level[BARE_APIC_WORDS];
	u32 owed[BARE_APIC_WORDS];
	u32 priority, spurious, timer, divide, initial, command_high;
	u64 due;    /* time stamp at which its timer expires; BARE_NEVER: it does not run */
	bool stale; /* what comes is for a guest before: ended when this one switches its APIC on */
	bool offered; /* the control block has an interrupt that the guest may take */
	u8 vector;    /* that one */
};
#define BARE_NEVER (~0ull)
#define BARE_EARLY_US 2 /* bound on gravity */
#define BARE_WINDOW_MS 10

/* Physical memory, as page tables are made of it. */
struct bare_memory {
	unsigned int levels, bits; /* of page tables; of addresses */
	bool large;		   /* pages of 1 GiB may be used, else 2 MiB */
	word hidden, hidden_end;   /* the region, in multiples of 2 MiB */
	/* What the guest can read and execute of it, from its beginning: events, room, record. */
	word open_end;
	word hole; /* a page that the guest does not have: its APIC */
	/* Set by bare_nested_build: for each page of the region what the guest has there. */
	u64 *entries;
	u64 zeros; /* an entry: of the page of zeros */
};

/* What the layer knows of the machine, and the system that it runs; shared by its CPUs. */
#define BARE_CPUS 64
#define BARE_LOG 0x4000 /* bytes, a power of two */
struct bare_log {
	u64 written, read; /* bytes, since attach */
	char text[BARE_LOG];
};

/* What another guest is started from when this one is dead, and how often that was. */
struct bare_again {
	u8 *memory; /* `size` bytes, that the guest can read and execute */
	word size;
	word physical;
	u32 kept;  /* enum limpet_kept */
	u32 limit; /* of the system: restarts after a death */
	u32 deaths, restarts;
	u32 death;		      /* enum limpet_death: of the one before */
	struct limpet_record *record; /* NULL: no room; behind the room */
	struct limpet_ioc_save save;  /* of this guest */
	struct bare_cpu *died;	      /* where it found its end */
};

struct bare_layer {
	struct bare_cpu *cpus[BARE_CPUS]; /* all that are beneath */
	u32 count;
	u32 lock; /* of the guest's calls: one at a time, on whichever CPU */

	u8 *memory; /* for a system: `pages` pages of the region */
	word pages;
	const word *root; /* of the layer's page table, at `cr3` */
	word cr3, virtual_offset;
	word xsave_mask;
	u64 ticks_per_ms;
	/* Time stamp ticks per tick of the APIC's timer, and the reverse, times 2^32. */
	u64 ticks_shift32, counts_shift32;
	struct bare_memory physical;

	u32 death;     /* enum limpet_death: the guest does not run any more */
	u64 silent_at; /* time stamp at which a guest that has said nothing is dead; BARE_NEVER */
	struct bare_again again;
	u32 state, end_reason; /* of <limpet/device.h> */
	u32 linux_share;       /* per mille */
	u64 since, image_size;
	struct setup setup;
	struct cpu *cpu[LIMPET_CPUS_MAX];
	struct bare_cpu *on[LIMPET_CPUS_MAX]; /* where each CPU of the system is */
	struct limpet_ioc_stat stat;	      /* on its way to the guest */
	struct bare_events *events;	      /* a page of its own, that the guest can read */
	struct bare_cpu *notified;	      /* which gets `vector` for them; NULL: none does */
	u32 vector;
	struct bare_log log[LIMPET_CPUS_MAX];
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
	struct bare_regs regs; /* vmrun.S: at offset 0 */
	u64 vmcb_physical;
	struct vmcb *vmcb;
	u64 leave; /* bare_leave of the module */
	bool left; /* it is the bare processor's again */
	u64 exits;
	u64 arrived[4];			  /* passage.S: vectors of interrupts that were taken */
	volatile bool nmi, machine_check; /* one is to be given to the guest; set at any time */
	struct bare_apic apic;

	struct bare_layer *layer;
	u32 number; /* the guest's, of this CPU */
	u32 apic_id;
	/* Set by another CPU, or this one: `vector` is for the guest; forget its translations. */
	bool notify, flush;
	/*
	 * The guest does not run here, until another CPU of its starts it. Set by that: it is to stop; it is
	 * to start, at this page (vector of the startup IPI; with BARE_START).
	 */
	volatile bool parked, init;
	volatile u32 start;
	struct entry_cpu entry; /* `cpu` is NULL while no system runs here */
	u64 due;		/* time stamp at which components want the CPU; BARE_NEVER */
	u64 fired;		/* the last one that came; 0: the kernel has seen it */
	struct gravity gravity;
	/* The guest's share: of each window components may use a part, then they are held to its end. */
	u64 window_end, used, held;
	u64 limit;	  /* time stamp at which that is to be looked at; BARE_NEVER */
	bool over;	  /* the limit was reached */
	u64 shares;	  /* times it was enforced */
	struct vmcb *own; /* for VMLOAD: what components need in FS, GS, TR and the MSRs */
	u64 own_physical;
	struct hal_fpu *guest; /* its vector state, while components run */
	word trap_stack[2];    /* tops: of NMI; of machine check, debug and double fault */
	struct bare_tss tss;
	u64 gdt[BARE_GDT];
};

/* What bare_launch of the module needs, per CPU. */
struct bare_launch {
	u64 cr3, stack, entry;
	struct bare_cpu *cpu;
	struct vmcb *vmcb;
};

/* Pages of the region that are still free, for tables. */
struct bare_pages {
	u8 *next, *end;
	word virtual_offset; /* virtual minus physical address */
};

/* Zeroed; NULL: none is left. */
void *bare_page(struct bare_pages *pages);

/*
 * Nested page table: all of memory where it is, but the hidden region as one page of zeros that cannot
 * be written, and the hole. Returns its root's physical address, 0: no page is left.
 */
word bare_nested_build(struct bare_pages *pages, struct bare_memory *m);
/*
 * Gives a page of the region to the guest; takes all between two addresses again, but the open ones.
 * Translations may be stale then. About ten instructions a page.
 */
void bare_hidden_show(const struct bare_memory *m, word physical);
void bare_hidden_hide(const struct bare_memory *m, word physical, word end);

/* How a machine is reset: PCI reset control, the keyboard controller, and System Control Port A. */
#define BARE_PORT_RESET 0xcf9
#define BARE_PORT_KEYBOARD 0x64
#define BARE_PORT_SYSTEM 0x92
/* policy.c: fill the control block's bitmaps. Ports: three pages of zeros; MSRs: two pages. */
void bare_ports_intercept(u8 *bitmap);
void bare_msrs_intercept(u8 *bitmap);
#define BARE_MSR_EFER 0xc0000080u
#define BARE_MSR_VM_CR 0xc0010114u
#define BARE_MSR_VM_HSAVE_PA 0xc0010117u

/* The layer's own page table. */
#define BARE_MAP_WRITE 2ul
#define BARE_MAP_DEVICE 0x18ul /* not cached */
#define BARE_MAP_NX (1ul << 63)
/* All of memory but the hidden region, at its address in the direct map. */
bool bare_map_memory(struct bare_pages *pages, u64 *root, const struct bare_memory *m);
/* Maps a page of 4 KiB; `root` is a page. False: no page is left for a lower level. */
bool bare_map(struct bare_pages *pages, u64 *root, unsigned int levels, word address, word physical,
	      word bits);

/* cpu.c: before the guest's first VMRUN; after its last. */
void bare_cpu_begin(struct bare_cpu *b);
void bare_cpu_end(struct bare_cpu *b);
/* The table of interrupts that fits the TR that is loaded: the guest's in the layer, ours. */
void bare_idt(bool components);
/* vmrun.S */
/* Waits until something has arrived. */
void bare_halt(void);
void bare_entry(struct bare_cpu *b);
void bare_vmrun(struct bare_cpu *b);
/*
 * run.c. bare_run: while components want the CPU, it is theirs; then does what other CPUs asked for.
 * bare_yield: in the middle of what takes long, or while waiting for another CPU: takes what has come,
 * and lets them run. Both: in the layer, on behalf of the guest. bare_notify: the vector for events is
 * due. bare_forget: no system runs here any more.
 */
void bare_run(struct bare_cpu *b);
void bare_yield(struct bare_cpu *b);
void bare_forget(struct bare_cpu *b);
void bare_notify(struct bare_cpu *b);
/* The guest's registers that VMRUN does not load: those of VMLOAD as in the control block, XCR0 as after INIT. */
void bare_state_load(struct bare_cpu *b);
/* system.c: what the guest has of the hidden region is as at attach; each CPU forgets what it knew. */
void bare_hidden_forget(struct bare_cpu *b);
/* passage.S: until the kernel gives the CPU back. */
void bare_components(struct entry_cpu *e);
/* For passage.S. bare_serve: the kernel's requests; false: the guest gets the CPU. */
bool bare_serve(struct entry_cpu *e);
void bare_interrupted(struct entry_cpu *e, word vector);
/*
 * death.c. bare_death: the guest is dead, and bare_exit will find that; false: there is no system that
 * could go on. _shutdown: it can handle no exception; _port: it used a port that can reset the machine;
 * false: not by an instruction that is known. bare_machine_reset: nothing is left to do.
 */
bool bare_death(struct bare_cpu *b, enum limpet_death cause);
void bare_death_shutdown(struct bare_cpu *b);
bool bare_death_port(struct bare_cpu *b);
void bare_machine_reset(void) __attribute__((noreturn));
/*
 * restart.c. bare_stopped: whether the guest does not run here now; then bare_wait returns when it does
 * again, or another one. _init, _start: the guest's IPIs of these kinds, to the CPU with that APIC ID.
 */
#define BARE_START 0x100u
bool bare_stopped(const struct bare_cpu *b);
void bare_wait(struct bare_cpu *b);
void bare_init(struct bare_cpu *b, u32 apic_id);
void bare_start(struct bare_cpu *b, u32 apic_id, unsigned int page);
/* system.c: a call of the guest's kernel; its result. */
long bare_call(struct bare_cpu *b, u64 call, word argument, word size);

/*
 * apic.c. bare_apic_kick: an interrupt for another CPU of the layer. _timer: b->due or b->limit has
 * changed. _begin: from the processor's to the virtual one; _quiet, then _end: back. _arrived: the
 * processor took a vector; _ends: after all that it took; _timer_came: it has just taken the layer's
 * timer, and nothing else. _reset: as after INIT. _request: a vector of the layer's own, for the guest. _ready: the guest lets
 * in now what waits for it. _offer: before VMRUN; _taken: after an exit. _access: of the guest, false:
 * not by an instruction that is known.
 */
void bare_apic_kick(const struct bare_cpu *to);
void bare_apic_timer(struct bare_cpu *b);
void bare_apic_begin(struct bare_cpu *b);
void bare_apic_reset(struct bare_cpu *b);
void bare_apic_quiet(struct bare_cpu *b);
void bare_apic_end(struct bare_cpu *b);
void bare_apic_arrived(struct bare_cpu *b, unsigned int vector);
void bare_apic_timer_came(struct bare_cpu *b);
void bare_apic_ends(struct bare_apic *apic);
void bare_apic_offer(struct bare_cpu *b);
void bare_apic_taken(struct bare_cpu *b);
bool bare_apic_ready(const struct bare_cpu *b);
void bare_apic_request(struct bare_apic *apic, unsigned int vector);
bool bare_apic_access(struct bare_cpu *b, word offset);
/* guest.c: copies from and to the guest's memory; false: not mapped there, or hidden. */
bool bare_guest_read(const struct bare_cpu *b, word address, void *to, word size);
bool bare_guest_write(const struct bare_cpu *b, word address, const void *from, word size);
/* From its physical memory, in one page; false: it has none there. */
bool bare_guest_copy(const struct bare_cpu *b, word physical, void *to, word size);
/* A MOV between a register and memory, as drivers access registers of devices. */
struct bare_move {
	unsigned int length; /* bytes of the instruction */
	bool store;
	bool immediate; /* store `value` */
	u8 reg;		/* 0 to 15 */
	u32 value;
};
bool bare_move_decode(const u8 *code, word size, struct bare_move *move);
u64 *bare_reg(struct bare_cpu *b, unsigned int reg);
/* exit.c: false: the guest leaves. bare_arrived: takes what was noted. */
bool bare_exit(struct bare_cpu *b);
void bare_arrived(struct bare_cpu *b);

#endif
