// SPDX-License-Identifier: GPL-2.0
/* Loads and ends a system. */
#include <linux/mm.h>
#include <linux/slab.h>
#include <asm/tlbflush.h>
#include <asm/tsc.h>

#include <host/linux/compat.h>
#include <host/linux/channel/channel.h>
#include <host/linux/parts.h>
#include <shared/image/check.h>

static DEFINE_PER_CPU(atomic_t, users); /* systems that use the CPU */

bool system_uses_cpu(unsigned int linux_cpu)
{
	return atomic_read(per_cpu_ptr(&users, linux_cpu));
}

/* Returns an unused id, or LIMPET_SYSTEMS_MAX. */
static u32 id_find(void)
{
	u32 id = 0;

	while (id < LIMPET_SYSTEMS_MAX && systems[id])
		id++;
	return id;
}

/* In beside mode all of the machine is Linux's. In beneath mode the layer checks this. */
static int check_devices(struct limpet_ioc_load *load, const struct limpet_image *image)
{
	const struct limpet_image_resource *device = limpet_image_device(image);

	if (!device)
		return 0;
	return system_refuse(
		load,
		"Component %u has %s, which is available only in beneath mode. Run `limpet detach`, then `limpet attach --beneath`.",
		device->component, limpet_image_resource_word(device->kind));
}

/* Linux 6.15 and later can use any process-context id for its own processes if the processor has INVLPGB (bit 3). */
bool system_has_pcid(void)
{
	return entry_cr3_keep && boot_cpu_has(X86_FEATURE_INVPCID) && !isolate_on &&
	       !(IS_ENABLED(CONFIG_BROADCAST_TLB_FLUSH) && cpuid_ebx(0x80000008) & BIT(3));
}

static void setup_hal(void)
{
	struct hal_setup setup = {
		.virtual_offset = PAGE_OFFSET,
		.kernel_root = memory_root,
		.levels = pgtable_l5_enabled() ? 5 : 4,
		/*
		 * For Linux a page table with this bit is user level's, and the page before it is
		 * the kernel's.
		 */
		.root_clear = boot_cpu_has(X86_FEATURE_PTI) ? PAGE_SIZE : 0,
		.pcid = system_has_pcid(),
		.xsave_mask = check_xsave_mask(),
		.clear_mask = check_clear_mask(),
	};

	hal_setup(&setup);
}

static void setup_hosts(struct system *system, const struct setup *setup,
			const struct limpet_ioc_load *load)
{
	for (u32 n = 0; n < system->cpus; n++) {
		struct host_thread *host = &system->host[n];

		host->system = system;
		host->cpu = system->cpu[n];
		host->linux_cpu = load->cpu[n];
		host->entry = per_cpu_ptr(&entry_cpu, load->cpu[n]);
		host->stack = setup_stack(setup, system->region.memory, n);
	}
}

/* Allocates and builds the system's memory. Waits for other processes, so no lock is held. */
static int region_fill(struct system *system, struct limpet_ioc_load *load, const void *image)
{
	struct setup setup = {
		.cpus = load->cpus,
		.image_pages = load->size / PAGE_SIZE,
		.share = ((const struct limpet_image *)image)->frames,
		.trace_size = ((const struct limpet_image *)image)->trace,
		.ticks_per_ms = tsc_khz,
		.early = (u64)tsc_khz * load->early_us / 1000,
	};
	void *memory;
	int error;
	u32 done;

	setup_layout(&setup);
	error = region_alloc(&system->region, setup.end, ~0ull);
	if (error == -ENOMEM)
		return system_refuse(
			load,
			"Linux has no %lu MiB of contiguous free memory. Lower [system] frames, or free memory.",
			setup.end >> (20 - PAGE_SHIFT));
	if (error)
		return error;
	memory = system->region.memory;
	/* Not every kernel preempts a long memset() or memcpy(). */
	for (u64 page = 0; page < setup.end; page++, cond_resched())
		clear_page(memory + page * PAGE_SIZE);
	system->image = memory + setup.image * PAGE_SIZE;
	for (u64 at = 0; at < load->size; at += PAGE_SIZE, cond_resched())
		memcpy(system->image + at, image + at, PAGE_SIZE);
	setup.resource = system->image + ((const struct limpet_image *)image)->resources_at;
	setup.resources = ((const struct limpet_image *)image)->resources;
	setup_hal();
	done = setup_build(&setup, memory, system->cpu);
	if (done < setup.cpus)
		return system_refuse(
			load, "CPU %u has too few frames to boot. Raise [system] frames.", done);
	system->pool = setup_pool(&setup, memory);
	system->first_frame = setup.frames;
	system->share = setup.share;
	setup_hosts(system, &setup, load);
	guests_prepare(system);
	return 0;
}

/*
 * Enables barriers if a loaded system, or `coming`, requests them, and otherwise disables them. Called with
 * system_lock. `coming` can be NULL. Returns 0 or -ENOMEM.
 */
static int barriers_choose(const struct limpet_image *coming)
{
	bool wanted = coming && limpet_image_barrier(coming);

	for (u32 i = 0; i < LIMPET_SYSTEMS_MAX; i++)
		wanted |= systems[i] && limpet_image_barrier(systems[i]->image);
	return text_barriers(wanted);
}

static void system_free(struct kref *refs)
{
	kfree_rcu(container_of(refs, struct system, refs), rcu);
}

void system_put(struct system *system)
{
	kref_put(&system->refs, system_free);
}

/* Gives the memory back. References to the system, as its former guests have, do not keep it. */
static void system_release(struct system *system)
{
	region_free(&system->region);
	system_put(system);
}

/* Returns a system with its memory, but without channels and CPUs, or an ERR_PTR. */
static struct system *system_make(struct limpet_ioc_load *load, const void *image)
{
	struct system *system = kzalloc(sizeof(*system), GFP_KERNEL);
	int error;

	if (!system)
		return ERR_PTR(-ENOMEM);
	kref_init(&system->refs);
	system->cpus = load->cpus;
	system->linux_share = load->linux_share;
	system->image_size = load->size;
	system->state = LIMPET_STATE_LOADED;
	system->host_pid = task_tgid_vnr(current);
	system->started_ns = ktime_get_ns();
	system->ns_per_tick_shift32 = div_u64(1000000ull << 32, tsc_khz);
	init_waitqueue_head(&system->waiters);
	host_prepare(system);
	error = region_fill(system, load, image);
	if (!error)
		return system;
	system_release(system);
	return ERR_PTR(error);
}

/*
 * Returns 0, or a negative errno with the reason in load->error. Called with system_lock. `loaded` is the system of the
 * file, or NULL.
 */
static int load_check(struct limpet_ioc_load *load, const void *image, const struct system *loaded)
{
	if (loaded || id_find() == LIMPET_SYSTEMS_MAX) {
		system_refuse(load,
			      loaded ? "This file has loaded a system already. Open another file."
				     : "%u systems are loaded, which is the maximum. Stop one.",
			      LIMPET_SYSTEMS_MAX);
		return -EBUSY;
	}
	return check_devices(load, image) ?: image_check_barrier(load, image);
}

/*
 * Marks the CPUs as used. The CPU hotplug lock keeps them online until then. It is not held while channels are made,
 * because that takes Linux's network lock, with which other code takes the CPU hotplug lock.
 */
static int cpus_take(struct limpet_ioc_load *load)
{
	int error;

	cpus_read_lock();
	error = system_check_cpus(load);
	for (u32 i = 0; i < load->cpus && !error; i++)
		atomic_inc(per_cpu_ptr(&users, load->cpu[i]));
	cpus_read_unlock();
	return error;
}

/* No thread of the system runs any more, so only other systems' threads still change the CPUs' entry areas. */
static void cpus_give_back(struct system *system)
{
	for (u32 n = 0; n < system->cpus; n++) {
		cmpxchg(&system->host[n].entry->cpu, system->cpu[n], NULL);
		atomic_dec(per_cpu_ptr(&users, system->host[n].linux_cpu));
	}
}

/* Undoes load_enter(), except that it keeps the CPUs. Called with system_lock. */
static void load_leave(struct system *system)
{
	system->state = LIMPET_STATE_DEAD;
	systems[system->id] = NULL;
	barriers_choose(NULL); /* without memory they stay enabled, which only costs time */
	kvm_release(system->image);
}

/* Called with system_lock. Other sessions can find the system from now on. */
static int load_enter(struct limpet_ioc_load *load, const void *image, struct system *system,
		      const struct system *loaded)
{
	int error = load_check(load, image, loaded);

	if (error)
		return error;
	system->id = id_find();
	error = kvm_hold(image);
	if (error) {
		kvm_release(image);
		return system_refuse(
			load,
			"/dev/kvm creates no virtual machine (%pe), so KVM could store Limpet's entry points as Linux's. Unload KVM: modprobe -r kvm_intel kvm.",
			ERR_PTR(error));
	}
	error = barriers_choose(image) ?: cpus_take(load);
	if (error) {
		load_leave(system);
		return error;
	}
	systems[system->id] = system;
	return 0;
}

/*
 * Makes the channels, and sets *loaded, so that host threads can enter the system. Gives everything back after an
 * error.
 */
static int load_end(struct limpet_ioc_load *load, struct system *system, struct system **loaded)
{
	int error = system_channels(system, load->error, sizeof(load->error));

	mutex_lock(&system_lock);
	if (!error && *loaded) /* by another call on the same file */
		error = load_check(load, system->image, *loaded);
	if (!error)
		WRITE_ONCE(*loaded, system);
	else
		load_leave(system);
	mutex_unlock(&system_lock);
	if (!error)
		return 0;
	if (!IS_ERR(system->channels))
		host_channels_destroy(system->channels);
	cpus_give_back(system);
	system_release(system);
	return error;
}

/*
 * Makes the system and its channels without a lock. Linux can wait for a page of any process when it makes contiguous
 * memory free, and for a process that lists /dev/limpet when it makes a device. The first check is only for the caller:
 * it finds what is wrong before that wait.
 */
int system_load(struct limpet_ioc_load *load, const void *image, struct system **loaded)
{
	struct system *system;
	int error;

	mutex_lock(&system_lock);
	error = load_check(load, image, *loaded);
	mutex_unlock(&system_lock);
	system = error ? ERR_PTR(error) : system_make(load, image);
	if (IS_ERR(system))
		return PTR_ERR(system);
	mutex_lock(&system_lock);
	error = load_enter(load, image, system, *loaded);
	mutex_unlock(&system_lock);
	if (!error)
		return load_end(load, system, loaded);
	system_release(system);
	return error;
}

void system_close(struct system *system)
{
	system_end(system, LIMPET_END_HOST);
	host_forget(system);
	guests_end(system);
	host_channels_destroy(system->channels);
	mutex_lock(&system_lock);
	load_leave(system);
	mutex_unlock(&system_lock);
	wake_up_all(&system->waiters);
	cpus_give_back(system);
	system_release(system);
}
