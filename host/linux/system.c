// SPDX-License-Identifier: GPL-2.0
/* Loading and ending a system. */
#include <linux/ctype.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
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

/* One line for the caller: what, where, why, what to do. Returns -EINVAL. */
static __printf(2, 3) int refuse(struct limpet_ioc_load *load, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(load->error, sizeof(load->error), format, arguments);
	va_end(arguments);
	return -EINVAL;
}

void system_print(char *text, unsigned int length)
{
	for (unsigned int i = 0; i < length; i++)
		if (!isprint(text[i]) && text[i] != '\n')
			text[i] = '?';
	pr_info("limpet: %.*s", (int)length, text);
}

/* Beneath, components can have a CPU that Linux took offline. */
static bool is_there(unsigned int cpu)
{
	return cpu < nr_cpu_ids && (cpu_online(cpu) || beneath_has_cpu(cpu));
}

static int check_cpus(struct limpet_ioc_load *load)
{
	if (!load->cpus || load->cpus > LIMPET_CPUS_MAX)
		return refuse(load, "cpus: %u given, 1 to %u are possible", load->cpus,
			      LIMPET_CPUS_MAX);
	for (u32 i = 0; i < load->cpus; i++) {
		if (!is_there(load->cpu[i]))
			return refuse(load, "CPU %u is not online; choose others with --cpus",
				      load->cpu[i]);
		for (u32 j = 0; j < i; j++)
			if (load->cpu[i] == load->cpu[j])
				return refuse(load, "CPU %u is named twice; name each once",
					      load->cpu[i]);
	}
	if (load->linux_share > 900)
		return refuse(load, "linux share: %u per mille given, 0 to 900 are possible",
			      load->linux_share);
	if (load->early_us > LIMPET_EARLY_MAX)
		return refuse(load, "early wake-ups: %u us given, 0 to %u are possible",
			      load->early_us, LIMPET_EARLY_MAX);
	return 0;
}

static int check_image(struct limpet_ioc_load *load, const void *memory)
{
	const struct limpet_image *image = memory;
	struct limpet_image_error error;

	if (limpet_image_check(image, load->size, &error))
		return refuse(load, "image: %s %u: %s; compose it again", error.field, error.index,
			      error.reason);
	if (image->cpus != load->cpus)
		return refuse(load, "the image is for %u CPUs, %u were given; use --cpus",
			      image->cpus, load->cpus);
	if (image->frames < SETUP_FRAMES_LEAST || image->frames > SETUP_FRAMES_MOST)
		return refuse(load, "image: frames: %llu of 4 KiB, %u to %lu are possible",
			      (unsigned long long)image->frames, SETUP_FRAMES_LEAST,
			      SETUP_FRAMES_MOST);
	return 0;
}

/* Beside, all of the machine is Linux's. Beneath, this is the layer's business. */
static int check_devices(struct limpet_ioc_load *load, const struct limpet_image *image)
{
	const struct limpet_image_resource *device = limpet_image_device(image);

	if (!device)
		return 0;
	return refuse(load,
		      "component %u has %s: only beneath can Limpet give devices; limpet detach, "
		      "then limpet attach --beneath",
		      device->component, limpet_image_resource_word(device->kind));
}

void *system_image(struct limpet_ioc_load *load)
{
	int error = check_cpus(load);
	void *memory;

	if (error)
		return ERR_PTR(error);
	if (load->size < sizeof(struct limpet_image) || load->size > LIMPET_IMAGE_MAX ||
	    load->size % PAGE_SIZE)
		return ERR_PTR(refuse(load, "image: size %llu is not that of an image",
				      (unsigned long long)load->size));
	memory = vmalloc(load->size);
	if (!memory)
		return ERR_PTR(-ENOMEM);
	if (copy_from_user(memory, u64_to_user_ptr(load->image), load->size))
		error = -EFAULT;
	else
		error = check_image(load, memory);
	if (error) {
		vfree(memory);
		return ERR_PTR(error);
	}
	return memory;
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
		*host->entry = (struct entry_cpu){
			.stack = setup_stack(s, system->region.memory, n),
			.cpu = host->cpu,
			.self = host->entry,
		};
	}
}

/* From the image in the region, which stays for as long as the system does. */
static void resources_set(struct setup *s, const struct limpet_image *image)
{
	s->resource = (const void *)((const u8 *)image + image->resources_at);
	s->resources = image->resources;
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
		return refuse(
			load,
			"no %lu MiB of contiguous memory; lower [system] frames or free memory",
			s.end >> (20 - PAGE_SHIFT));
	if (error)
		return error;
	memory = system->region.memory;
	memset(memory, 0, s.end * PAGE_SIZE);
	system->image = memory + s.image * PAGE_SIZE;
	memcpy(system->image, image, load->size);
	resources_set(&s, system->image);
	setup_hal(system, memory);
	done = setup_build(&s, memory, system->cpu);
	if (done < s.cpus) {
		region_free(&system->region);
		return refuse(load,
			      "frames: too few for the booter on CPU %u; raise [system] frames",
			      done);
	}
	system->pool = setup_pool(&s, memory);
	system->first_frame = s.frames;
	system->share = s.share;
	setup_hosts(system, &s, load);
	return 0;
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
	int error = check_cpus(load);

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

/*
 * Called with system_lock. Making channels takes Linux's network lock, in which others take the CPU hotplug
 * lock: it is given back before.
 */
static struct system *load_locked(struct limpet_ioc_load *load, const void *image)
{
	struct system *system;
	int error;

	if (system_current) {
		refuse(load, "a system is loaded already (by process %d); stop it first",
		       system_current->host_pid);
		return ERR_PTR(-EBUSY);
	}
	error = kvm_hold();
	if (error)
		return ERR_PTR(refuse(
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

void system_end(struct system *system, enum limpet_end_reason reason)
{
	if (!system->end_reason)
		system->end_reason = reason;
	system->state = LIMPET_STATE_STOPPING;
	for (u32 n = 0; n < system->cpus; n++) {
		hal_or(&system->cpu[n]->inbox.requests, HOST_END);
		host_kick_cpu(system, n);
	}
}

static void system_free(struct kref *refs)
{
	struct system *system = container_of(refs, struct system, refs);

	region_free(&system->region);
	kfree(system);
}

void system_put(struct system *system)
{
	kref_put(&system->refs, system_free);
}

void system_close(struct system *system)
{
	mutex_lock(&system_lock);
	system_end(system, LIMPET_END_HOST);
	mutex_unlock(&system_lock);
	host_forget(system);
	host_channels_destroy();
	preempt_notifier_dec();
	mutex_lock(&system_lock);
	kvm_release();
	system->state = LIMPET_STATE_DEAD;
	cpumask_clear(&system_cpus);
	system_current = NULL;
	mutex_unlock(&system_lock);
	wake_up_all(&system->gone);
	system_put(system);
}
