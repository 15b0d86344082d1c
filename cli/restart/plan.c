// SPDX-License-Identifier: GPL-2.0
/* Follows Documentation/x86/boot.rst and zero-page.rst of Linux, protocol 2.12 and later. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <asm/bootparam.h>

#include <cli/common/report.h>
#include <cli/restart/acpi.h>
#include <cli/restart/memory_map.h>
#include <cli/restart/plan.h>
#include <cli/common/text.h>
#include <host/restart/restart.h>

#define PAGE 4096u
#define MIB (1ul << 20)
#define LIMIT (1ull << 32) /* end of the addresses that 32-bit code can access */
#define LOW 0x10000u	   /* start of the low memory that firmware does not use */
#define LOW_END 0x9f000u
#define SECTOR 512u
#define SECTORS_USUAL 4u
#define BOOT_FLAG 0xaa55
#define MAGIC 0x53726448 /* "HdrS" */
#define VERSION_MIN 0x20c
#define LOADER_UNKNOWN 0xff
#define COMMAND_LINE_MAX 2047u
#define ROOM_MAX 1024u /* MiB; maximum of the module */

/* Layout of the reserved memory, by pages: the code, the plan, then these. */
#define PARAMETERS_AT (2 * PAGE)
#define COMMAND_LINE_AT (3 * PAGE)
#define KERNEL_AT (4 * PAGE)
/* In low memory: parameters, command line, stack. */
#define LOW_SIZE (3 * PAGE)

extern const unsigned char restart_code[], restart_code_end[];

struct mapped {
	const unsigned char *data;
	size_t size;
};

struct plan {
	struct mapped kernel, initrd;
	const struct setup_header *header; /* header in the kernel's file */
	size_t setup;			   /* bytes of the file before the part that is loaded */
	struct memory_map map, free;
	struct boot_params parameters;
	char command_line[COMMAND_LINE_MAX + 1];
	uint64_t initrd_at; /* offset in the reserved memory */
	struct restart_plan restart;
};

static bool map_file(const char *path, struct mapped *file)
{
	struct stat stat;
	void *data;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &stat) || !S_ISREG(stat.st_mode) || !stat.st_size) {
		report("%s: %s", path,
		       fd < 0 ? strerror(errno) : "This is not a file, or the file is empty.");
		if (fd >= 0)
			close(fd);
		return false;
	}
	data = mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (data == MAP_FAILED) {
		report("%s: %s", path, strerror(errno));
		return false;
	}
	*file = (struct mapped){ data, (size_t)stat.st_size };
	return true;
}

static void unmap(struct plan *plan)
{
	if (plan->kernel.data)
		munmap((void *)plan->kernel.data, plan->kernel.size);
	if (plan->initrd.data)
		munmap((void *)plan->initrd.data, plan->initrd.size);
}

/* Returns whether the kernel's file follows the boot protocol and is complete. Otherwise reports an error. */
static bool check_kernel(struct plan *plan, const char *path)
{
	const struct setup_header *header = (const void *)(plan->kernel.data + 0x1f1);

	if (plan->kernel.size < PAGE || header->boot_flag != BOOT_FLAG || header->header != MAGIC) {
		report("%s: The file is not a Linux kernel for x86. Give the file that is booted, "
		       "/boot/vmlinuz-RELEASE.",
		       path);
		return false;
	}
	if (header->version < VERSION_MIN || !(header->loadflags & LOADED_HIGH)) {
		report("%s: The kernel has boot protocol %u.%02u, but 2.12 or later is needed. Give a kernel of "
		       "Linux 3.8 or later.",
		       path, header->version >> 8, header->version & 0xff);
		return false;
	}
	plan->setup = ((header->setup_sects ? header->setup_sects : SECTORS_USUAL) + 1u) * SECTOR;
	if (plan->setup >= plan->kernel.size ||
	    plan->kernel.size - plan->setup < (size_t)header->syssize * 16) {
		report("%s: The kernel's file is truncated after %zu bytes. Copy it again.", path,
		       plan->kernel.size);
		return false;
	}
	plan->header = header;
	return true;
}

static bool plan_open(struct plan *plan, const struct plan_source *source)
{
	if (map_file(source->kernel, &plan->kernel) && check_kernel(plan, source->kernel) &&
	    map_file(source->initrd, &plan->initrd)) {
		plan->initrd_at =
			(KERNEL_AT + plan->kernel.size - plan->setup + PAGE - 1) / PAGE * PAGE;
		return true;
	}
	unmap(plan);
	return false;
}

unsigned long plan_room(const struct plan_source *source)
{
	static struct plan plan;
	unsigned long room;

	plan = (struct plan){ 0 };
	if (!plan_open(&plan, source))
		return 0;
	room = (plan.initrd_at + plan.initrd.size + MIB - 1) / MIB;
	unmap(&plan);
	if (room <= ROOM_MAX)
		return room;
	report("%s and %s: They have %lu MiB together, which is more than the maximum of %u. Use a smaller "
	       "initramfs.",
	       source->kernel, source->initrd, room, ROOM_MAX);
	return 0;
}

/* Finds and reserves memory. */
static bool place(struct plan *plan, const char *what, uint64_t size, uint64_t align, uint64_t low,
		  uint64_t high, bool highest, uint32_t *at)
{
	uint64_t found = memory_map_find(&plan->free, size, align, low, high, highest);

	if (!found || !memory_map_reserve(&plan->free, found, found + size)) {
		report("There is no free memory for the %s: %lu KiB between 0x%lx and 0x%lx.", what,
		       (unsigned long)(size >> 10), (unsigned long)low, (unsigned long)high);
		return false;
	}
	*at = (uint32_t)found;
	return true;
}

static void copy_add(struct plan *plan, uint32_t to, uint64_t at, uint64_t size, uint64_t clear)
{
	plan->restart.copy[plan->restart.copies++] =
		(struct restart_copy){ to, (uint32_t)at, (uint32_t)size, (uint32_t)clear };
}

static bool command_line_make(struct plan *plan, const char *append)
{
	unsigned int max = plan->header->cmdline_size;
	char now[COMMAND_LINE_MAX + 1];
	int length;

	if (!max || max > COMMAND_LINE_MAX)
		max = COMMAND_LINE_MAX;
	if (!text_read("", "/proc/cmdline", now, sizeof(now))) {
		report("/proc/cmdline: %s", strerror(errno));
		return false;
	}
	length = snprintf(plan->command_line, sizeof(plan->command_line), "%s%s%s", now,
			  append ? " " : "", append ? append : "");
	if ((unsigned int)length <= max)
		return true;
	report("--append: The command line then has %d characters, which is more than the maximum of %u. Shorten it.",
	       length, max);
	return false;
}

static bool map_make(struct plan *plan, const struct limpet_ioc_info *info)
{
	if (!memory_map_read("", &plan->map)) {
		report("/sys/firmware/memmap: The file cannot be read, or has more than %u ranges. So this "
		       "machine's memory is unknown.",
		       MEMORY_RANGES);
		return false;
	}
	if (!memory_map_reserve(&plan->map, info->hidden, info->hidden + info->hidden_size)) {
		report("/sys/firmware/memmap: With %u ranges, there is no space for the range of the hidden "
		       "memory.",
		       plan->map.count);
		return false;
	}
	plan->free = plan->map;
	return true;
}

/* Fills the kernel's parameters with those of this Linux, except for addresses. */
static bool parameters_make(struct plan *plan)
{
	struct boot_params *params = &plan->parameters;
	FILE *file = fopen("/sys/kernel/boot_params/data", "re");
	size_t header = plan->kernel.data[0x201] + 0x202u - 0x1f1u;

	if (!file || fread(params, sizeof(*params), 1, file) != 1) {
		report("/sys/kernel/boot_params/data: %s", strerror(errno));
		if (file)
			fclose(file);
		return false;
	}
	fclose(file);
	if (header > sizeof(params->hdr))
		header = sizeof(params->hdr);
	memset(&params->hdr, 0, sizeof(params->hdr));
	memcpy(&params->hdr, plan->header, header);
	params->hdr.type_of_loader = LOADER_UNKNOWN;
	params->hdr.setup_data = 0;
	params->ext_ramdisk_image = params->ext_ramdisk_size = params->ext_cmd_line_ptr = 0;
	/*
	 * The firmware's services can be set up only once. Without them Linux finds the firmware's tables by this
	 * address.
	 */
	memset(&params->efi_info, 0, sizeof(params->efi_info));
	if (acpi_root(""))
		params->acpi_rsdp_addr = acpi_root("");
	params->e820_entries = (uint8_t)plan->map.count;
	for (unsigned int i = 0; i < plan->map.count; i++)
		params->e820_table[i] = (struct boot_e820_entry){
			.addr = plan->map.range[i].start,
			.size = plan->map.range[i].end - plan->map.range[i].start,
			.type = plan->map.range[i].type,
		};
	return true;
}

/* Places kernel and initramfs where the kernel prefers or accepts them. */
static bool contents_place(struct plan *plan)
{
	const struct setup_header *header = plan->header;
	uint64_t size = plan->kernel.size - plan->setup, align = header->kernel_alignment, high;
	uint64_t need = header->init_size > size ? header->init_size : size;
	uint64_t wanted = memory_map_find(&plan->free, need, PAGE, header->pref_address,
					  header->pref_address + need, false);
	uint32_t at;

	if (wanted != header->pref_address && !header->relocatable_kernel)
		align = 0;
	if (!align || (align & (align - 1))) {
		report("The kernel cannot be placed at 0x%lx, and it needs that address.",
		       (unsigned long)header->pref_address);
		return false;
	}
	if (!place(plan, "kernel", need, wanted == header->pref_address ? PAGE : align,
		   wanted == header->pref_address ? wanted : MIB, LIMIT, false, &at))
		return false;
	plan->restart.entry = plan->parameters.hdr.code32_start = at;
	copy_add(plan, at, KERNEL_AT, size, 0);
	high = header->initrd_addr_max < LIMIT - 1 ? header->initrd_addr_max + 1ull : LIMIT;
	if (!place(plan, "initramfs", plan->initrd.size, PAGE, MIB, high, true, &at))
		return false;
	plan->parameters.hdr.ramdisk_image = at;
	plan->parameters.hdr.ramdisk_size = (uint32_t)plan->initrd.size;
	copy_add(plan, at, plan->initrd_at, plan->initrd.size, 0);
	return true;
}

static bool low_place(struct plan *plan)
{
	uint32_t at;

	if (!place(plan, "kernel's parameters", LOW_SIZE, PAGE, LOW, LOW_END, true, &at))
		return false;
	plan->restart.parameters = at;
	plan->parameters.hdr.cmd_line_ptr = at + PAGE;
	plan->restart.stack = at + LOW_SIZE;
	copy_add(plan, at, PARAMETERS_AT, 2 * PAGE, 0);
	return true;
}

static int keep(int fd, uint64_t at, const void *data, size_t size)
{
	struct limpet_ioc_keep part = { .at = at, .buffer = (uintptr_t)data, .size = size };

	if (!ioctl(fd, LIMPET_IOC_KEEP, &part))
		return COMMAND_OK;
	return report("The layer cannot store the new Linux: %s", strerror(errno));
}

/* Passes the plan to the layer in parts. The layer starts a Linux from it only after the last part. */
static int hand_over(int fd, const struct plan *plan)
{
	int code = keep(fd, 0, restart_code, (size_t)(restart_code_end - restart_code));

	if (!code)
		code = keep(fd, RESTART_PLAN, &plan->restart, sizeof(plan->restart));
	if (!code)
		code = keep(fd, PARAMETERS_AT, &plan->parameters, sizeof(plan->parameters));
	if (!code)
		code = keep(fd, COMMAND_LINE_AT, plan->command_line, sizeof(plan->command_line));
	if (!code)
		code = keep(fd, KERNEL_AT, plan->kernel.data + plan->setup,
			    plan->kernel.size - plan->setup);
	if (!code)
		code = keep(fd, plan->initrd_at, plan->initrd.data, plan->initrd.size);
	if (!code && ioctl(fd, LIMPET_IOC_KEPT, LIMPET_KEPT_WHOLE))
		code = report("The layer cannot store the new Linux: %s", strerror(errno));
	return code;
}

int plan_keep(int fd, const struct limpet_ioc_info *info, const struct plan_source *source)
{
	static struct plan plan;
	int code = COMMAND_REFUSED;

	plan = (struct plan){ 0 };
	if (!plan_open(&plan, source))
		return code;
	if (plan.initrd_at + plan.initrd.size > info->room)
		report("%s and %s need %lu KiB together, attach reserved only %lu KiB. Use "
		       "smaller ones, or detach and attach with these.",
		       source->kernel, source->initrd,
		       (unsigned long)((plan.initrd_at + plan.initrd.size) >> 10),
		       (unsigned long)(info->room >> 10));
	else if (command_line_make(&plan, source->append) && map_make(&plan, info) &&
		 parameters_make(&plan) && low_place(&plan) && contents_place(&plan)) {
		plan.restart.io_apics = acpi_io_apics("", plan.restart.io_apic, RESTART_IO_APICS);
		plan.restart.hpet = acpi_hpet("");
		code = hand_over(fd, &plan);
	}
	unmap(&plan);
	return code;
}
