// SPDX-License-Identifier: GPL-2.0
/* Checks a system that a process wants to load, and prints the text of components. */
#include <linux/ctype.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <asm/cpufeature.h>

#include <host/linux/parts.h>
#include <shared/image/check.h>

int system_refuse(struct limpet_ioc_load *load, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(load->error, sizeof(load->error), format, arguments);
	va_end(arguments);
	return -EINVAL;
}

int image_check_barrier(struct limpet_ioc_load *load, const struct limpet_image *image)
{
	const struct limpet_image_component *wants = limpet_image_barrier(image);

	if (!wants || boot_cpu_has(X86_FEATURE_IBPB))
		return 0;
	system_refuse(
		load,
		"Component %s has branch-barrier, but this processor has no IBPB. Update its microcode, or remove branch-barrier.",
		(const char *)image + image->strings_at + wants->name);
	return -EOPNOTSUPP;
}

void system_print(char *text, unsigned int length)
{
	for (unsigned int i = 0; i < length; i++)
		if (!isprint(text[i]) && text[i] != '\n')
			text[i] = '?';
	pr_info("limpet: %.*s", (int)length, text);
}

/* In beneath mode, components can have a CPU that Linux took offline. */
static bool is_there(unsigned int cpu)
{
	return cpu < nr_cpu_ids && (cpu_online(cpu) || beneath_has_cpu(cpu));
}

/* Returns true, and stores a message, if a number is outside its range. */
static bool number_refuse(struct limpet_ioc_load *load, const char *name, u32 n, u32 low, u32 high)
{
	return (n < low || n > high) &&
	       system_refuse(load, "%s must be %u to %u, but is %u. Choose another number.", name,
			     low, high, n);
}

int system_check_cpus(struct limpet_ioc_load *load)
{
	if (number_refuse(load, "The number of CPUs in --cpus", load->cpus, 1, LIMPET_CPUS_MAX) ||
	    number_refuse(load, "--linux-share", load->linux_share, 0, 900) ||
	    number_refuse(load, "--early", load->early_us, 0, LIMPET_EARLY_MAX))
		return -EINVAL;
	for (u32 i = 0; i < load->cpus; i++) {
		if (!is_there(load->cpu[i]))
			return system_refuse(load, "CPU %u is not online. Correct --cpus.",
					     load->cpu[i]);
		for (u32 j = 0; j < i; j++)
			if (load->cpu[i] == load->cpu[j])
				return system_refuse(load, "CPU %u is named twice. Name each once.",
						     load->cpu[i]);
	}
	return 0;
}

static int check_image(struct limpet_ioc_load *load, const void *memory)
{
	const struct limpet_image *image = memory;
	struct limpet_image_error error;

	if (limpet_image_check(image, load->size, &error))
		return system_refuse(load, "The image's %s (record %u) %s. Compose it again.",
				     error.field, error.index, error.reason);
	if (image->cpus != load->cpus)
		return system_refuse(load, "The image is for %u CPUs, not %u. Correct --cpus.",
				     image->cpus, load->cpus);
	if (image->frames < SETUP_FRAMES_MIN || image->frames > SETUP_FRAMES_MAX)
		return system_refuse(load, "[system] frames = %llu must be %u to %lu. Change it.",
				     image->frames, SETUP_FRAMES_MIN, SETUP_FRAMES_MAX);
	return 0;
}

void *system_image(struct limpet_ioc_load *load)
{
	int error = system_check_cpus(load);
	void *memory;

	if (error)
		return ERR_PTR(error);
	if (!load->size || load->size > LIMPET_IMAGE_MAX || load->size % PAGE_SIZE)
		return ERR_PTR(system_refuse(
			load, "The image size %llu is wrong. Compose it again.", load->size));
	memory = vmalloc(load->size);
	if (!memory)
		return ERR_PTR(-ENOMEM);
	for (u64 at = 0; at < load->size && !error; at += PAGE_SIZE, cond_resched())
		if (copy_from_user(memory + at, u64_to_user_ptr(load->image + at), PAGE_SIZE))
			error = -EFAULT;
	error = error ?: check_image(load, memory);
	if (error) {
		vfree(memory);
		return ERR_PTR(error);
	}
	return memory;
}
