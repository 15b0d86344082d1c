// SPDX-License-Identifier: GPL-2.0
/* Loads and ends a system. */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <asm/tlbflush.h>
#include <asm/tsc.h>

#include <host/linux/compat.h>
#include <host/linux/channel/channel.h>
#include <host/linux/parts.h>
#include <shared/image/check.h>

DEFINE_MUTEX(system_lock);
struct system *system_current;
static struct cpumask system_cpus;

bool system_uses_cpu(unsigned int linux_cpu)
{
	return cpumask_test_cpu(linux_cpu, &system_cpus);
}

/* Beside, all of the machine is Linux's. Beneath, this is the layer's business. */
static int check_devices(struct limpet_ioc_load *load, const struct limpet_image *image)
{
	const struct limpet_image_resource *device = limpet_image_device(image);

	if (!device)
		return 0;
	return system_refuse(
		load,
		"component %u has %s: only beneath can Limpet give devices; limpet detach, "
		"then limpet attach --beneath",
		device->component, limpet_image_resource_word(device->kind));
}

/* The template of the kernel half: the top level of the page table that is loaded now. */
static void setup_hal(struct system *system, void *root)
{
	struct hal_setup setup = {
		.virtual_offset = PAGE_OFFSET,
		.kernel_root = root,
		.levels = pgtable_l5_enabled() ? 5 : 4,
		.pcid = native_read_cr4() & X86_CR4_PCIDE && boot_cpu_has(X86_FEATURE_INVPCID),
		.xsave_mask = check_xsave_mask(),
	};

	memcpy(root, __va(read_cr3_pa()), PAGE_SIZE);
	hal_setup(&setup);
}

static void setup_hosts(struct system *system, const struct setup *s,
			const struct limpet_ioc_load *load)
{
	for (u32 n = 0; n < system->cpus; n++) {
		struct host_thread *host = &system->host[n];

		host->system = system;
		host->cpu = system->cpu[n];
		host->linux_cpu = load->cpu[n];
		host->entry = per_cpu_ptr(&entry_cpu, load->cpu[n]);
		/* `guest` and `filter` are those of the thread that the CPU runs now. */
		host->entry->stack = setup_stack(s, system->region.memory, n);
		host->entry->cpu = host->cpu;
		host->entry->inside = 0;
		host->entry->resumes = host->entry->interrupted = 0;
	}
}

static int region_fill(struct system *system, struct limpet_ioc_load *load, const void *image)
{
	struct setup s = {
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

	setup_layout(&s);
	error = region_alloc(&system->region, s.end, ~0ull);
	if (error == -ENOMEM)
		return system_refuse(
			load,
			"no %lu MiB of contiguous memory; lower [system] frames or free memory",
			s.end >> (20 - PAGE_SHIFT));
	if (error)
		return error;
	memory = system->region.memory;
	memset(memory, 0, s.end * PAGE_SIZE);
	system->image = memory + s.image * PAGE_SIZE;
	memcpy(system->image, image, load->size);
	s.resource = system->image + ((const struct limpet_image *)image)->resources_at;
	s.resources = ((const struct limpet_image *)image)->resources;
	setup_hal(system, memory);
	done = setup_build(&s, memory, system->cpu);
	if (done < s.cpus) {
		region_free(&system->region);
		return system_refuse(
			load, "frames: too few for the booter on CPU %u; raise [system] frames",
			done);
	}
	system->pool = setup_pool(&s, memory);
	system->first_frame = s.frames;
	system->share = s.share;
	setup_hosts(system, &s, load);
	return guests_prepare(system);
}

static struct system *system_create(struct limpet_ioc_load *load)
{
	struct system *system = kzalloc(sizeof(*system), GFP_KERNEL);

	if (!system)
		return NULL;
	kref_init(&system->refs);
	system->cpus = load->cpus;
	system->linux_share = load->linux_share;
	system->image_size = load->size;
	system->state = LIMPET_STATE_LOADED;
	system->host_pid = task_tgid_vnr(current);
	system->started_ns = ktime_get_ns();
	system->ns_per_tick_shift32 = div_u64(1000000ull << 32, tsc_khz);
	init_waitqueue_head(&system->gone);
	host_prepare(system);
	return system;
}

/* Called with the CPU hotplug lock: none of its CPUs goes offline until they are marked as used. */
static struct system *system_make(struct limpet_ioc_load *load, const void *image)
{
	struct system *system;
	int error = system_check_cpus(load);

	if (!error)
		error = check_devices(load, image);
	system = error ? NULL : system_create(load);
	if (!error)
		error = system ? region_fill(system, load, image) : -ENOMEM;
	if (error) {
		kfree(system);
		return ERR_PTR(error);
	}
	for (u32 i = 0; i < load->cpus; i++)
		cpumask_set_cpu(load->cpu[i], &system_cpus);
	return system;
}

/* Gives the memory back. References to the system, as its former guests have, do not keep it. */
static void system_release(struct system *system)
{
	region_free(&system->region);
	kvfree(system->guests);
	system->guests = NULL;
}

/*
 * Called with system_lock. Making channels takes Linux's network lock, in which others take the CPU hotplug
 * lock: it is given back before.
 */
static struct system *load_locked(struct limpet_ioc_load *load, const void *image)
{
	struct system *system;
	int error;

	if (system_current) {
		system_refuse(load, "a system is loaded already (by process %d); stop it first",
			      system_current->host_pid);
		return ERR_PTR(-EBUSY);
	}
	error = kvm_hold();
	if (error)
		return ERR_PTR(system_refuse(
			load,
			"/dev/kvm gives no virtual machine (%pe), so KVM could take Limpet's "
			"entry points for Linux's; unload it: modprobe -r kvm_intel kvm",
			ERR_PTR(error)));
	cpus_read_lock();
	system = system_make(load, image);
	cpus_read_unlock();
	if (IS_ERR(system))
		return system;
	error = system_channels(system, load->error, sizeof(load->error));
	if (error) {
		cpumask_clear(&system_cpus);
		system_release(system);
		system_put(system);
		return ERR_PTR(error);
	}
	preempt_notifier_inc();
	system_current = system;
	return system;
}

struct system *system_load(struct limpet_ioc_load *load)
{
	struct system *system;
	void *image;

	load->error[0] = 0;
	image = system_image(load);
	if (IS_ERR(image))
		return image;
	mutex_lock(&system_lock);
	system = load_locked(load, image);
	if (!system_current)
		kvm_release();
	mutex_unlock(&system_lock);
	vfree(image);
	return system;
}

static void system_free(struct kref *refs)
{
	kfree_rcu(container_of(refs, struct system, refs), rcu);
}

void system_put(struct system *system)
{
	kref_put(&system->refs, system_free);
}

void system_close(struct system *system)
{
	system_end(system, LIMPET_END_HOST);
	host_forget(system);
	guests_end(system);
	host_channels_destroy();
	preempt_notifier_dec();
	mutex_lock(&system_lock);
	kvm_release();
	system->state = LIMPET_STATE_DEAD;
	cpumask_clear(&system_cpus);
	system_current = NULL;
	mutex_unlock(&system_lock);
	wake_up_all(&system->gone);
	system_release(system);
	system_put(system);
}
