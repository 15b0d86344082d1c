// SPDX-License-Identifier: GPL-2.0
/*
 * Launches the layer of host/bare under the running Linux, and removes it. All memory of the layer
 * is prepared here, in one region that Linux cannot access after the launch.
 */
#include <linux/io.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <asm/apicdef.h>
#include <asm/desc.h>
#include <asm/fixmap.h>
#include <asm/msr.h>
#include <asm/tsc.h>

#include <host/linux/beneath/apic.h>
#include <host/linux/beneath/device.h>
#include <host/linux/beneath/guard.h>
#include <host/linux/beneath/svm.h>
#include <host/linux/beneath/watch.h>
#include <host/linux/compat.h>
#include <host/linux/parts.h>
#include <host/bare/bare.h>

#define MSRPM_PAGES 2
#define IOPM_PAGES 3
/*
 * Part of the region for the layer itself: image, stacks, and two tables for each 2 MiB of memory.
 */
#define OWN_MIB(all) (16ul + (all) / 256)
#define FPU_PAGES DIV_ROUND_UP(sizeof(struct hal_fpu), PAGE_SIZE)
#define LOG_PAGES DIV_ROUND_UP(sizeof(struct bare_log), PAGE_SIZE)
#define LAYER_PAGES DIV_ROUND_UP(sizeof(struct bare_layer), PAGE_SIZE)
#define MEMORY_MIN 4u
#define MEMORY_MAX 4096u
#define ROOM_MAX 1024u
#define RECORD_MIB (LIMPET_RECORD_SIZE >> 20)
#define OPEN_MIB (room ? room + RECORD_MIB : 0ul) /* memory that another Linux can access */
#define NESTED_BITS_MAX 42 /* 4 TiB: tables of the nested page table are made at attach */

extern const u8 bare_image[], bare_image_end[];
extern const u8 bare_switch[], bare_switch_end[];
void bare_leave(void);

static unsigned int memory = 64;
module_param(memory, uint, 0444);
MODULE_PARM_DESC(memory, "beneath: MiB of memory for systems");

static unsigned int room;
module_param(room, uint, 0444);
MODULE_PARM_DESC(
	room, "beneath: MiB for the files of another Linux, which starts after this one has died");

static bool components_trusted;
static struct region region;
static struct bare_layer *layer; /* hidden once the layer is launched, except: */
static struct bare_pages pages;
static u64 *root;
static u8 *text; /* the layer's image, in the region */
static u64 nested_root, msr_map, port_map, apic_page, apic_ticks, apic_counts;
static struct cpumask offline; /* CPUs that were offline at attach */

/*
 * Adopts the layer that has started this Linux. The hidden memory is not in Linux's memory map, so
 * it is never freed.
 */
static int adopt(void)
{
	struct bare_info found;

	if (!svm_find(&found))
		return 0;
	if (found.version != BARE_VERSION)
		return refused(
			-ENODEV,
			"The layer in memory has version %u, and this module has version %u. Use the limpet.ko that attached the layer.",
			found.version, BARE_VERSION);
	layer_events = memremap(found.info.hidden, sizeof(*layer_events), MEMREMAP_WB);
	if (!layer_events)
		return -ENOMEM;
	svm_adopt();
	pr_info("limpet: beneath already, Linux was started again %u times\n", found.info.restarts);
	return 0;
}

static void *pages_take(unsigned int count)
{
	void *first = bare_page(&pages);

	for (unsigned int i = 1; i < count; i++)
		if (!bare_page(&pages))
			return NULL;
	return first;
}

static bool map(word address, word physical, word bits)
{
	return bare_map(&pages, root, pgtable_l5_enabled() ? 5 : 4, address, physical, bits);
}

/*
 * Maps the region at Linux's address, the image at BARE_TEXT, and the code that switches page
 * tables.
 */
static bool layer_map(void)
{
	const struct bare_header *header = (const void *)text;
	word code = (word)bare_switch & PAGE_MASK, physical = virt_to_phys(region.memory);

	for (word at = 0; at < region.pages * PAGE_SIZE; at += PAGE_SIZE)
		if (!map((word)region.memory + at, physical + at, BARE_MAP_WRITE | BARE_MAP_NX))
			return false;
	for (word at = BARE_TEXT; at < header->end; at += PAGE_SIZE)
		if (!map(at, virt_to_phys(text) + at - BARE_TEXT,
			 at < header->data ? 0 : BARE_MAP_WRITE | BARE_MAP_NX))
			return false;
	if (!map(BARE_TEXT + BARE_ALIAS, virt_to_phys(text), 0) ||
	    !map(BARE_APIC, apic_page, BARE_MAP_WRITE | BARE_MAP_NX | BARE_MAP_DEVICE))
		return false;
	for (u32 i = 0; i < layer->io_apics; i++)
		if (!map(BARE_IO_APIC(i), layer->io_apic[i].physical,
			 BARE_MAP_WRITE | BARE_MAP_NX | BARE_MAP_DEVICE))
			return false;
	return map(code, (word)vmalloc_to_pfn((void *)code) << PAGE_SHIFT, 0);
}

static unsigned int memory_bits(void)
{
	return min_t(unsigned int, boot_cpu_data.x86_phys_bits, NESTED_BITS_MAX);
}

/* Unmaps the I/O APICs for Linux, which then accesses them only through the layer. */
static bool io_apics_hide(void)
{
	for (u32 i = 0; i < layer->io_apics; i++)
		if (!bare_nested_set(&pages, &layer->physical, layer->io_apic[i].physical,
				     BARE_NESTED_NONE))
			return false;
	return true;
}

static bool tables_make(void)
{
	void *bitmap = pages_take(MSRPM_PAGES), *ports = pages_take(IOPM_PAGES);

	machine_read(layer);
	layer->physical = (struct bare_memory){
		.levels = pgtable_l5_enabled() ? 5 : 4,
		.bits = memory_bits(),
		.large = boot_cpu_has(X86_FEATURE_GBPAGES),
		.hidden = virt_to_phys(region.memory),
		.hidden_end = virt_to_phys(region.memory) + region.pages * PAGE_SIZE,
		.hole = apic_page,
	};
	root = bare_page(&pages);
	nested_root = bare_nested_build(&pages, &layer->physical);
	if (!bitmap || !ports || !root || !nested_root ||
	    !bare_map_memory(&pages, root, &layer->physical) || !layer_map() || !io_apics_hide())
		return false;
	msr_map = virt_to_phys(bitmap);
	bare_msrs_intercept(bitmap);
	port_map = virt_to_phys(ports);
	layer->ports = ports;
	bare_ports_intercept(ports, layer->reset_port);
	return true;
}

/* Aligned to its size, with the CPU's structure in its first word. */
static void *stack_take(void)
{
	while ((word)pages.next % BARE_STACK)
		if (!bare_page(&pages))
			return NULL;
	return pages_take(BARE_STACK / PAGE_SIZE);
}

/* Makes the stacks of the layer, of NMI, and of the other exceptions with a stack of their own. */
static bool stacks_make(struct bare_launch *launch)
{
	word top[3];

	for (unsigned int i = 0; i < ARRAY_SIZE(top); i++) {
		struct bare_cpu **stack = stack_take();

		if (!stack)
			return false;
		*stack = launch->cpu;
		top[i] = (word)stack + BARE_STACK;
	}
	launch->stack = top[0];
	launch->cpu->trap_stack[0] = top[1];
	launch->cpu->trap_stack[1] = top[2];
	return true;
}

static bool cpu_make(unsigned int cpu)
{
	struct bare_launch *launch = per_cpu_ptr(&svm_launch, cpu);
	void *save = bare_page(&pages);

	BUILD_BUG_ON(sizeof(struct bare_cpu) > PAGE_SIZE);
	launch->vmcb = bare_page(&pages);
	launch->cpu = bare_page(&pages);
	if (!save || !launch->vmcb || !launch->cpu || !stacks_make(launch))
		return false;
	launch->cpu->vm.own = bare_page(&pages);
	launch->cpu->guest = pages_take(FPU_PAGES);
	launch->cpu->log = pages_take(LOG_PAGES);
	if (!launch->cpu->vm.own || !launch->cpu->guest || !launch->cpu->log)
		return false;
	launch->cpu->vm.own_physical = virt_to_phys(launch->cpu->vm.own);
	launch->cpu->layer = layer;
	launch->cpu->number = cpu;
	layer->cpus[layer->count++] = launch->cpu;
	launch->cr3 = virt_to_phys(root);
	launch->entry = ((const struct bare_header *)text)->entry;
	launch->cpu->vm.vmcb = launch->vmcb;
	launch->cpu->vm.vmcb_physical = virt_to_phys(launch->vmcb);
	launch->cpu->leave = (word)bare_leave;
	launch->save = virt_to_phys(save);
	vm_control_make(&launch->cpu->vm, nested_root, msr_map, port_map);
	return true;
}

/* Assigns the rest of the region to systems. */
static void memory_make(void)
{
	layer->events = layer_events;
	layer->silent_at = BARE_NEVER;
	layer->again.memory = (u8 *)layer_events + BARE_EVENT_PAGES * PAGE_SIZE;
	layer->again.physical = virt_to_phys(layer->again.memory);
	layer->again.size = (word)room << 20;
	layer->physical.open_end = layer->again.physical + layer->again.size;
	if (room) {
		layer->again.record = (void *)(layer->again.memory + layer->again.size);
		layer->again.record->magic = 0;
		layer->physical.open_end += LIMPET_RECORD_SIZE;
	}
	bare_hidden_hide(&layer->physical, layer->physical.hidden, layer->physical.hidden_end);
	layer->memory = pages.end;
	layer->pages = memory << (20 - PAGE_SHIFT);
	layer->root = (const word *)root;
	layer->cr3 = virt_to_phys(root);
	layer->virtual_offset = PAGE_OFFSET;
	layer->xsave_mask = check_xsave_mask();
	layer->ticks_per_ms = tsc_khz;
	layer->ticks_shift32 = apic_ticks;
	layer->counts_shift32 = apic_counts;
}

/* Allocates the region. Returns 0 or a negative errno, with a line in the log. */
static int region_make(void)
{
	const unsigned long mib = OPEN_MIB + memory;
	const unsigned long all = round_up(mib + OWN_MIB(mib), 2);
	int error;

	if (memory < MEMORY_MIN || memory > MEMORY_MAX)
		return refused(-EINVAL, "--memory %u must be %u to %u MiB. Choose another size.",
			       memory, MEMORY_MIN, MEMORY_MAX);
	if (room > ROOM_MAX)
		return refused(-EINVAL, "room=%u must be at most %u MiB. Use a smaller initrd.",
			       room, ROOM_MAX);
	if (virt_to_phys(high_memory) >> NESTED_BITS_MAX)
		return refused(-ENODEV, "Linux has memory above 4 TiB. Use beside mode.");
	if (!beneath_apic_calibrate(&apic_ticks, &apic_counts))
		return refused(-ENODEV, "The local APIC's timer does not count. Use beside mode.");
	/* A kernel is started by code of 32 bits. */
	error = region_alloc(&region, all << (20 - PAGE_SHIFT), room ? 1ull << 32 : ~0ull);
	if (error == -ENOMEM)
		return refused(
			error,
			"Linux has no %lu MiB of contiguous free memory. Lower memory= or room=, or free memory.",
			all);
	return error;
}

/* Fills the region, which the caller frees after an error. */
static int layer_make(void)
{
	const struct bare_header *header = (const void *)bare_image;
	const unsigned long own = (region.pages >> (20 - PAGE_SHIFT)) - memory;
	unsigned int cpu;
	bool guarded;
	int error;

	rdmsrq(MSR_IA32_APICBASE, apic_page);
	apic_page &= PAGE_MASK & ((1ul << 52) - 1);
	pages = (struct bare_pages){ region.memory, region.memory + (own << 20), PAGE_OFFSET };
	/*
	 * At the start, because Linux sees only this and the following data for a restart of the
	 * layer's memory.
	 */
	layer_events = pages_take(BARE_EVENT_PAGES);
	pages.next += OPEN_MIB << 20;
	text = pages_take((header->end - BARE_TEXT) / PAGE_SIZE);
	memcpy(text, bare_image, bare_image_end - bare_image);
	layer = pages_take(LAYER_PAGES);
	guarded = guard_write(text);
	if (layer) {
		layer->guarded = guarded && !components_trusted;
		layer->text = text;
	}
	error = layer && guard_loads(layer) && tables_make() ? 0 : -ENOMEM;
	if (!error)
		memory_make();
	for_each_online_cpu(cpu)
		if (!error && !cpu_make(cpu))
			error = -ENOMEM;
	if (!error) {
		layer->spare = pages;
		return 0;
	}
	return refused(error, "The layer's tables do not fit into %lu MiB. Report this as a bug.",
		       own);
}

static const char *online_remedy(int error)
{
	return error != -EPERM ? "Find the reason in dmesg, and bring it online."
	       : cpu_smt_possible()
		       ? "It is a second thread of its core (nosmt). Run `echo on >/sys/devices/system/cpu/smt/control`, attach, and write off to this file again."
		       : "It is a second thread of its core. Boot without nosmt=force.";
}

/*
 * Brings all present CPUs online for the launch, and records which ones were offline. A CPU outside the layer could
 * read the hidden memory, because an NMI wakes it up in Linux's code. Returns 0 or a negative errno, with a line in the
 * log.
 */
static int cpus_bring(void)
{
	unsigned int cpu;
	int error;

	cpumask_andnot(&offline, cpu_present_mask, cpu_online_mask);
	for_each_cpu(cpu, &offline) {
		error = add_cpu(cpu);
		if (error < 0)
			return refused(
				error,
				"CPU %u is offline, and Linux cannot bring it online to enter the layer (error %d). %s",
				cpu, -error, online_remedy(error));
	}
	return 0;
}

/* Takes the CPUs offline that were offline before cpus_bring(). */
static void cpus_send_back(void)
{
	unsigned int cpu;

	for_each_cpu(cpu, &offline)
		if (remove_cpu(cpu) < 0)
			pr_warn("limpet: CPU %u was offline and is online now, because Linux keeps it. See dmesg.\n",
				cpu);
}

/*
 * Launches the layer on all CPUs. Holds the CPU hotplug lock, because the layer waits for each CPU that it was made
 * for. The region exists already, because its allocation can wait for other processes.
 */
static int cpus_launch(void)
{
	int error;

	cpus_read_lock();
	if (cpumask_equal(cpu_online_mask, cpu_present_mask))
		error = layer_make();
	else
		error = refused(-EAGAIN, "A CPU went offline during the attach. Attach again.");
	if (!error)
		svm_enter();
	cpus_read_unlock();
	return error;
}

/* Puts the layer under Linux. Returns 0 or a negative errno, with a line in the log. */
static int layer_launch(void)
{
	int error = cpus_bring() ?: region_make() ?: cpus_launch();

	cpus_send_back();
	if (error) {
		region_free(&region);
		watch_end();
		return error;
	}
	if (!cpumask_equal(svm_cpus(), cpu_present_mask)) {
		beneath_detach();
		return refused(-EBUSY, "Another hypervisor uses AMD-V on a CPU. Stop it first.");
	}
	pr_info("limpet: beneath %u CPUs, %lu MiB hidden at 0x%llx\n", num_present_cpus(),
		region.pages >> (20 - PAGE_SHIFT), (u64)virt_to_phys(region.memory));
	return 0;
}

int beneath_attach(bool trusted)
{
	int error = watch_check() ?: adopt();

	components_trusted = trusted;
	if (!error && !layer_events)
		error = svm_check();
	if (error)
		return error;
	watch_begin();
	if (!layer_events)
		error = layer_launch();
	if (!error)
		beneath_device_init();
	return error;
}

void beneath_detach(void)
{
	beneath_device_exit();
	watch_end();
	if (!layer) {
		memunmap(layer_events);
		pr_notice("limpet: The layer stays, because it has started this Linux.\n");
		return;
	}
	beneath_call(BARE_CALL_STOP, NULL, 0);
	svm_leave();
	if (!cpumask_empty(svm_cpus())) {
		pr_err("limpet: CPU %*pbl did not leave the layer, so its memory stays hidden. Restart the machine.\n",
		       cpumask_pr_args(svm_cpus()));
		return;
	}
	for (u64 page = 0; page < region.pages; page++, cond_resched())
		clear_page(region.memory + page * PAGE_SIZE);
	region_free(&region);
}
