// SPDX-License-Identifier: GPL-2.0
/*
 * CPUs on which the guest does not run, after its death, or until another of its CPUs starts them.
 * After all CPUs of a dead guest have stopped, another guest may be started on the first CPU, at
 * the first byte of the stored data, which is the guest's own code. Components run at all times.
 */
#include <host/bare/bare.h>

#define SAVE_STEP 256ul /* bytes copied between two checks for interrupts; divides a page */
#define APIC_BASE_FIRST (1u << 8)

static bool is_first(void)
{
	return bare_msr_read(BARE_MSR_APIC_BASE) & APIC_BASE_FIRST;
}

/*
 * Returns whether the system's policy restarts the dead guest, and the data for this are complete.
 */
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

/* Saves the parts that the dead guest has selected. Missing memory is saved as zeros. */
static void parts_save(struct bare_cpu *cpu, u8 *to)
{
	const struct limpet_ioc_save *save = &cpu->layer->again.save;

	for (u64 i = 0; i < save->count; i++) {
		word at = save->part[i].physical, end = at + save->part[i].size;

		while (at < end) {
			word part = SAVE_STEP - at % SAVE_STEP;

			part = part < end - at ? part : end - at;
			if (!bare_guest_copy(cpu, at, to, part))
				__builtin_memset(to, 0, part);
			to += part;
			at += part;
			bare_yield(cpu);
		}
	}
}

static void record_make(struct bare_cpu *cpu)
{
	struct bare_again *again = &cpu->layer->again;
	struct limpet_record *record = again->record;

	*record = (struct limpet_record){
		.death = cpu->layer->death,
		.ticks = hal_time(),
		.cpu = again->died->number,
		.save = again->save,
	};
	vm_record(&again->died->vm, record);
	parts_save(cpu, (u8 *)(record + 1));
	record->magic = LIMPET_RECORD_MAGIC;
	again->save.count = 0; /* the next guest uses its memory for other data */
}

/*
 * Starts another guest. It gets the initial state of the machine, without the resources of the
 * system.
 */
static void restart(struct bare_cpu *cpu)
{
	struct bare_layer *layer = cpu->layer;
	struct bare_again *again = &layer->again;

	record_make(cpu);
	again->deaths += layer->death != LIMPET_DEATH_RELOAD;
	again->restarts++;
	again->kept = LIMPET_KEPT_WHOLE;
	again->death = layer->death;
	layer->vector = 0;
	layer->notified = NULL;
	layer->death = LIMPET_DEATH_NONE;
	bare_resources_next(cpu);
	bare_resources_notify(layer);
	layer->silent_at = BARE_NEVER;
	cpu->parked = false; /* entering the guest drops its translations */
	bare_hidden_forget(cpu);
	vm_reset_flat(&cpu->vm, again->physical);
}

/* Starts the guest on this CPU if another CPU requests it. Returns whether it was started. */
static bool starts(struct bare_cpu *cpu)
{
	u32 start = cpu->start;

	if (cpu->layer->death) {
		cpu->start = 0;
		if (!is_first() || !wanted(cpu->layer) || !all_stopped(cpu->layer))
			return false;
		restart(cpu);
		return true;
	}
	if (!(start & BARE_START))
		return false;
	cpu->start = 0;
	cpu->parked = false;
	vm_reset(&cpu->vm, start & 0xff);
	return true;
}

bool bare_stopped(const struct bare_cpu *cpu)
{
	return cpu->layer->death || cpu->init || cpu->released;
}

/* Marks the CPU as left and halts until INIT arrives. */
static void __attribute__((noreturn)) release(struct bare_cpu *cpu)
{
	cpu->left = true;
	vm_stop();
}

/* Another CPU may wait for this one to stop. */
static void stop(struct bare_cpu *cpu)
{
	const struct bare_layer *layer = cpu->layer;

	bare_apic_reset(cpu);
	if (layer->death)
		cpu->start = 0; /* the request was for the dead guest */
	cpu->parked = true;
	cpu->init = false;
	for (u32 i = 0; layer->death && i < layer->count; i++)
		bare_apic_kick_other(cpu, layer->cpus[i]);
}

/* Gives components the whole CPU. If no system runs, a CPU without guest has no work. */
void bare_wait(struct bare_cpu *cpu)
{
	const struct bare_layer *layer = cpu->layer;

	stop(cpu);
	/* Requests are looked at after components ran, because HLT waits only for later ones. */
	while (bare_run(cpu), !starts(cpu)) {
		if (cpu->released)
			release(cpu);
		if (layer->death && layer->state != LIMPET_STATE_RUNNING && !wanted(layer))
			bare_machine_reset();
		vm_halt();
		bare_arrived(cpu);
		cpu->init = false;
	}
	cpu->nmi = cpu->machine_check = false;
	bare_state_load(cpu);
}

static struct bare_cpu *other_cpu(struct bare_cpu *cpu, u32 apic_id)
{
	for (u32 i = 0; i < cpu->layer->count; i++)
		if (cpu->layer->cpus[i] != cpu && cpu->layer->cpus[i]->apic_id == apic_id)
			return cpu->layer->cpus[i];
	return NULL;
}

void bare_init(struct bare_cpu *cpu, u32 apic_id)
{
	struct bare_cpu *to = other_cpu(cpu, apic_id);

	if (!to)
		return;
	to->start = 0;
	to->init = true;
	bare_apic_kick(to);
}

/*
 * Only a CPU that waits for a startup IPI accepts it, or one that is about to, because it got INIT.
 */
void bare_start(struct bare_cpu *cpu, u32 apic_id, unsigned int page)
{
	struct bare_cpu *to = other_cpu(cpu, apic_id);

	if (!to || (!to->parked && !to->init))
		return;
	to->start = BARE_START | page;
	bare_apic_kick(to);
}
