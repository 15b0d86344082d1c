// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <limpet/device.h>
#include <shared/image/check.h>

#include <cli/command/run/devices.h>
#include <cli/common/report.h>
#include <cli/common/text.h>

#define IRQS "/sys/kernel/irq"
#define ACTIONS 200

/* Reads a file of one of Linux's interrupts. */
static bool irq_read(const char *root, const char *irq, const char *file, char *to, size_t size)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), IRQS "/%.20s/%s", irq, file);
	return text_read(root, path, to, size);
}

/*
 * Returns whether this interrupt uses the line, and has a handler. `actions` then names its users.
 */
static bool irq_uses(const char *root, const char *irq, long line, char *actions)
{
	char text[40];
	long pin;

	/*
	 * "IR-IO-APIC" with interrupt remapping. Pins of a second I/O APIC have the same numbers.
	 */
	return irq_read(root, irq, "chip_name", text, sizeof(text)) && strstr(text, "IO-APIC") &&
	       irq_read(root, irq, "hwirq", text, sizeof(text)) &&
	       text_number(text, 0, LONG_MAX, &pin) && pin == line &&
	       irq_read(root, irq, "actions", actions, ACTIONS) && *actions;
}

static bool line_free(const char *name, long line, const char *root)
{
	char path[PATH_MAX], actions[ACTIONS];
	const struct dirent *entry;
	bool used = false;
	DIR *irqs;

	snprintf(path, sizeof(path), "%s" IRQS, root);
	irqs = opendir(path);
	if (!irqs) {
		report("%s: The users of interrupt %ld are unknown: %s: %s. Mount sysfs there.",
		       name, line, path, strerror(errno));
		return false;
	}
	while (!used && (entry = readdir(irqs)))
		used = irq_uses(root, entry->d_name, line, actions);
	closedir(irqs);
	if (used)
		report("%s: Linux uses interrupt %ld, for %s. Unbind that driver, or choose another interrupt. "
		       "See /proc/interrupts.",
		       name, line, actions);
	return !used;
}

static bool function_free(const char *name, uint64_t number, const char *root)
{
	char path[PATH_MAX], driver[PATH_MAX], address[16];
	ssize_t length;

	snprintf(address, sizeof(address), "%04x:%02x:%02x.%x",
		 (unsigned int)(number >> 16) & 0xffff, (unsigned int)(number >> 8) & 0xff,
		 (unsigned int)(number >> 3) & 0x1f, (unsigned int)number & 7);
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s", address);
	if (!text_exists(root, path)) {
		report("%s: There is no PCI function %s. Correct the system file. See `lspci -D`.",
		       name, address);
		return false;
	}
	snprintf(path, sizeof(path), "%s/sys/bus/pci/devices/%s/driver", root, address);
	length = readlink(path, driver, sizeof(driver) - 1);
	if (length < 0 && errno == ENOENT)
		return true;
	if (length < 0) {
		report("%s: The driver of PCI function %s is unknown: %s: %s. Run the command as root.",
		       name, address, path, strerror(errno));
		return false;
	}
	driver[length] = 0;
	report("%s: PCI function %s has the driver %s in Linux. Run `echo %s "
	       ">/sys/bus/pci/devices/%s/driver/unbind` first.",
	       name, address, strrchr(driver, '/') ? strrchr(driver, '/') + 1 : driver, address,
	       address);
	return false;
}

static bool resource_free(const char *name, const struct limpet_image_resource *resource,
			  const char *root)
{
	if (resource->kind == LIMPET_RESOURCE_PCI)
		return function_free(name, resource->first, root);
	if (resource->kind == LIMPET_RESOURCE_INTERRUPT && resource->first < LIMPET_LINES_MAX)
		return line_free(name, (long)resource->first, root);
	return true;
}

bool devices_possible(const struct image *image, unsigned int mode, const char *root)
{
	const struct limpet_image *header = image_header(image);
	const struct limpet_image_resource *resource =
		(const void *)(image->bytes + header->resources_at);
	const struct limpet_image_resource *device = limpet_image_device(header);

	if (device && mode == LIMPET_MODE_BESIDE) {
		report("%s: Component %s has %s. Components can have devices only in beneath mode. Run `limpet "
		       "detach`, then `limpet attach --beneath`.",
		       image_system_name(image), image_component_name(image, device->component),
		       limpet_image_resource_word(device->kind));
		return false;
	}
	for (uint32_t i = 0; i < header->resources; i++)
		if (!resource_free(image_component_name(image, resource[i].component), &resource[i],
				   root))
			return false;
	return true;
}
