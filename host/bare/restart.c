// SPDX-License-Identifier: GPL-2.0
/*
 * CPUs on which the guest does not run: after its death, or until another of its CPUs starts them. When
 * all of a dead guest's have stopped, another may be started on the first: at the first byte of what was
 * kept for that, which is the guest's own code. Components run all the time.
 */
#include <host/bare/bare.h>

#define CR0_ET 0x10ul
#define CR0_PE 0x01ul
#define EFER_SVME (1ul << 12)
#define FLAGS_NONE 2ul
#define DR6_NONE 0xffff0ff0ul
#define DR7_NONE 0x400ul
#define PAT_RESET 0x0007040600070406ul
#define SAVE_STEP 512ul /* bytes between two looks at what has come; divides a page */
#define MSR_APIC_BASE 0x1bu
#define APIC_BASE_FIRST (1u << 8)
/* Attributes of segments. */
#define CODE 0x9b
#define DATA 0x93
#define TABLE 0x82
#define TASK 0x8b
#define FLAT 0xc00 /* 32 bits, in pages */

/* As INIT leaves a processor (APM vol. 2 table 14-1), in real mode, at a page of the first MiB. */
static void state_real(struct bare_cpu *b, unsigned int page)
{
	const struct vmcb_segment data = { .attributes = DATA, .limit = 0xffff };
	const struct vmcb_segment table = { .limit = 0xffff };
	struct vmcb *v = b->vmcb;
	u32 signature = 1, bx, cx, dx;

	asm volatile("cpuid" : "+a"(signature), "=b"(bx), "=c"(cx), "=d"(dx));
	b->regs = (struct bare_regs){ .dx = signature };
	v->es = v->ss = v->ds = v->fs = v->gs = data;
	v->cs = (struct vmcb_segment){ (u16)(page << 8), CODE, 0xffff, page << 12 };
	v->gdtr = v->idtr = table;
	v->ldtr = (struct vmcb_segment){ .attributes = TABLE, .limit = 0xffff };
	v->tr = (struct vmcb_segment){ .attributes = TASK, .limit = 0xffff };
	v->cpl = 0;
	v->efer = EFER_SVME;
	v->cr0 = CR0_ET;
	v->cr2 = v->cr3 = v->cr4 = 0;
	v->dr6 = DR6_NONE;
	v->dr7 = DR7_NONE;
	v->flags = FLAGS_NONE;
	v->ip = v->sp = v->ax = 0;
	v->star = v->lstar = v->cstar = v->sfmask = v->kernel_gs_base = 0;
	v->sysenter_cs = v->sysenter_sp = v->sysenter_ip = 0;
	v->pat = PAT_RESET;
	v->event = 0;
	v->interrupt_shadow = 0;
	v->tlb_control = VMCB_FLUSH_ALL;
	b->nmi = b->machine_check = false;
}

/* In protected mode, all of the first 4 GiB in each segment; esi: where it is. */
static void state_flat(struct bare_cpu *b, word at)
{
	struct vmcb *v = b->vmcb;

	state_real(b, 0);
	v->es.limit = v->ss.limit = v->ds.limit = v->fs.limit = v->gs.limit = v->cs.limit = ~0u;
	v->es.attributes = v->ss.attributes = v->ds.attributes = DATA | FLAT;
	v->cs.attributes = CODE | FLAT;
	v->cr0 |= CR0_PE;
	v->ip = b->regs.si = at;
}

static bool is_first(void)
{
	return bare_msr_read(MSR_APIC_BASE) & APIC_BASE_FIRST;
}

/* After a death: whether the system wants another guest, and there is what it can be started from. */
static bool wanted(const struct bare_layer *layer)
{
	const struct bare_again *again = &layer->again;

	if (again->kept == LIMPET_KEPT_PART)
		return false;
	return layer->death == LIMPET_DEATH_RELOAD ||
	       (layer->state == LIMPET_STATE_RUNNING && again->deaths < again->limit);
}

static bool all_stopped(const struct bare_layer *layer)
{
	for (u32 i = 0; i < layer->count; i++)
		if (!layer->cpus[i]->parked)
			return false;
	return true;
}

/* What the dead guest wanted to be saved; where it has no memory zeros stand. */
static void parts_save(struct bare_cpu *b, u8 *to)
{
	const struct limpet_ioc_save *save = &b->layer->again.save;

	for (u64 i = 0; i < save->count; i++) {
		word at = save->part[i].physical, end = at + save->part[i].size;

		while (at < end) {
			word part = SAVE_STEP - at % SAVE_STEP;

			part = part < end - at ? part : end - at;
			if (!bare_guest_copy(b, at, to, part))
				__builtin_memset(to, 0, part);
			to += part;
			at += part;
			bare_yield(b);
		}
	}
}

static void record_make(struct bare_cpu *b)
{
	struct bare_again *again = &b->layer->again;
	struct limpet_record *record = again->record;
	const struct vmcb *v = again->died->vmcb;
	const struct bare_regs *r = &again->died->regs;

	*record = (struct limpet_record){
		.death = b->layer->death,
		.ticks = hal_time(),
		.cpu = again->died->number,
		.ip = v->ip,
		.sp = v->sp,
		.flags = v->flags,
		.cr0 = v->cr0,
		.cr2 = v->cr2,
		.cr3 = v->cr3,
		.cr4 = v->cr4,
		.ax = v->ax,
		.bx = r->bx,
		.cx = r->cx,
		.dx = r->dx,
		.si = r->si,
		.di = r->di,
		.bp = r->bp,
		.r8 = r->r8,
		.r9 = r->r9,
		.r10 = r->r10,
		.r11 = r->r11,
		.r12 = r->r12,
		.r13 = r->r13,
		.r14 = r->r14,
		.r15 = r->r15,
		.save = again->save,
	};
	parts_save(b, (u8 *)(record + 1));
	record->magic = LIMPET_RECORD_MAGIC;
	again->save.count = 0; /* the next guest's memory is another's */
}

/* Nothing of the one before is left but what the system has. */
static void restart(struct bare_cpu *b)
{
	struct bare_layer *layer = b->layer;
	struct bare_again *again = &layer->again;

	record_make(b);
	again->deaths += layer->death != LIMPET_DEATH_RELOAD;
	again->restarts++;
	again->kept = LIMPET_KEPT_WHOLE;
	again->death = layer->death;
	layer->vector = 0;
	layer->notified = NULL;
	layer->death = LIMPET_DEATH_NONE;
	bare_resources_next(b);
	bare_resources_told(layer);
	layer->silent_at = BARE_NEVER;
	b->parked = false; /* its translations go with VMRUN */
	bare_hidden_forget(b);
	state_flat(b, again->physical);
}

/* True: the guest runs here from now on. */
static bool starts(struct bare_cpu *b)
{
	u32 start = b->start;

	if (b->layer->death) {
		b->start = 0;
		if (!is_first() || !wanted(b->layer) || !all_stopped(b->layer))
			return false;
		restart(b);
		return true;
	}
	if (!(start & BARE_START))
		return false;
	b->start = 0;
	b->parked = false;
	state_real(b, start & 0xff);
	return true;
}

bool bare_stopped(const struct bare_cpu *b)
{
	return b->layer->death || b->init || b->released;
}

/* Marks the CPU as left and halts until INIT arrives. */
static void __attribute__((noreturn)) release(struct bare_cpu *b)
{
	b->left = true;
	for (;;)
		asm volatile("cli\n\tstgi\n\thlt" : : : "memory");
}

/* Another CPU may wait for this one to stop. */
static void stop(struct bare_cpu *b)
{
	const struct bare_layer *layer = b->layer;

	bare_apic_reset(b);
	if (layer->death)
		b->start = 0; /* it was for the one that has died */
	b->parked = true;
	b->init = false;
	for (u32 i = 0; layer->death && i < layer->count; i++)
		if (layer->cpus[i] != b)
			bare_apic_kick(layer->cpus[i]);
}

/* Components have the CPU for themselves. When they have ended there is nothing left to do for a guest's. */
void bare_wait(struct bare_cpu *b)
{
	const struct bare_layer *layer = b->layer;

	stop(b);
	while (!starts(b)) {
		if (b->released)
			release(b);
		bare_run(b);
		if (layer->death && layer->state != LIMPET_STATE_RUNNING && !wanted(layer))
			bare_machine_reset();
		bare_halt();
		bare_arrived(b);
		b->init = false;
	}
	bare_state_load(b);
}

static struct bare_cpu *other_cpu(struct bare_cpu *b, u32 apic_id)
{
	for (u32 i = 0; i < b->layer->count; i++)
		if (b->layer->cpus[i] != b && b->layer->cpus[i]->apic_id == apic_id)
			return b->layer->cpus[i];
	return NULL;
}

void bare_init(struct bare_cpu *b, u32 apic_id)
{
	struct bare_cpu *to = other_cpu(b, apic_id);

	if (!to)
		return;
	to->start = 0;
	to->init = true;
	bare_apic_kick(to);
}

/* Only a CPU that waits for it takes it; one that was told to stop just now will. */
void bare_start(struct bare_cpu *b, u32 apic_id, unsigned int page)
{
	struct bare_cpu *to = other_cpu(b, apic_id);

	if (!to || (!to->parked && !to->init))
		return;
	to->start = BARE_START | page;
	bare_apic_kick(to);
}
