// SPDX-License-Identifier: GPL-2.0
/* Tests the checks of `limpet run` for the machine's resources, on a simulated Linux. */
#include "fake_root.h"
#include "said.h"

#include <limpet/device.h>

#include <cli/command/run/devices.h>

static struct {
	struct limpet_image header;
	struct limpet_image_component component[2];
	char strings[16];
	struct limpet_image_resource resource[3];
} system_of;

static const struct image image = { (unsigned char *)&system_of, sizeof(system_of) };

static void put_irq(const char *irq, const char *chip, const char *pin, const char *actions)
{
	char path[100];

	snprintf(path, sizeof(path), "/sys/kernel/irq/%s/chip_name", irq);
	put(path, chip);
	snprintf(path, sizeof(path), "/sys/kernel/irq/%s/hwirq", irq);
	put(path, pin);
	snprintf(path, sizeof(path), "/sys/kernel/irq/%s/actions", irq);
	put(path, actions);
}

static int fake_linux(void **state)
{
	char link[128];

	(void)state;
	if (root_make())
		return -1;
	put_irq("0", "IO-APIC\n", "2\n", "timer\n");
	put_irq("3", "IO-APIC\n", "3\n", "\n");
	put_irq("9", "IR-IO-APIC\n", "9\n", "acpi,other\n");
	put_irq("24", "PCI-MSI\n", "4\n", "ahci\n");
	put_irq("25", "\n", "\n", "\n");
	put("/sys/bus/pci/devices/0000:00:03.0/vendor", "0x8086\n");
	put("/sys/bus/pci/devices/00a1:fe:1f.7/vendor", "0x8086\n");
	snprintf(link, sizeof(link), "%s/sys/bus/pci/devices/00a1:fe:1f.7/driver", root);
	return symlink("../../../bus/pci/drivers/e1000", link);
}

/* Makes a system whose component `driver` has these resources. */
static void give(const struct limpet_image_resource *resource, unsigned int count)
{
	memset(&system_of, 0, sizeof(system_of));
	system_of.header.magic = LIMPET_IMAGE_MAGIC;
	system_of.header.strings = sizeof(system_of.strings);
	system_of.header.components = 2;
	system_of.header.components_at = sizeof(system_of.header);
	system_of.header.strings_at = sizeof(system_of.header) + sizeof(system_of.component);
	system_of.header.resources_at = system_of.header.strings_at + sizeof(system_of.strings);
	system_of.header.resources = count;
	memcpy(system_of.strings, "sys\0driver", 11);
	system_of.component[1].name = 4;
	for (unsigned int i = 0; i < count; i++) {
		system_of.resource[i] = resource[i];
		system_of.resource[i].component = 1;
		system_of.resource[i].count = 1;
	}
}

static void give_one(uint32_t kind, uint64_t first)
{
	give(&(struct limpet_image_resource){ .kind = kind, .first = first }, 1);
}

/* Checks the system's resources. Stores the report in `said`. */
static bool possible(unsigned int mode, char *said, size_t size)
{
	struct said captured;
	bool result;

	said_begin(&captured);
	result = devices_possible(&image, mode, root);
	snprintf(said, size, "%s", said_end(&captured));
	return result;
}

static void assert_possible(unsigned int mode)
{
	char said[1024];

	assert_true(possible(mode, said, sizeof(said)));
	assert_string_equal(said, "");
}

/* Expects a report of one line that contains `part`. */
static void assert_refused(unsigned int mode, const char *part)
{
	char said[1024];

	assert_false(possible(mode, said, sizeof(said)));
	if (!strstr(said, part))
		fail_msg("'%s' is not in: %s", part, said);
	assert_ptr_equal(strchr(said, '\n'), said + strlen(said) - 1);
}

static void test_beside(void **state)
{
	(void)state;
	give(NULL, 0);
	assert_possible(LIMPET_MODE_BESIDE);
	give_one(LIMPET_RESOURCE_INTERRUPT, LIMPET_LINE_LINUX);
	assert_possible(LIMPET_MODE_BESIDE);
	give_one(LIMPET_RESOURCE_INTERRUPT, LIMPET_LINE_MESSAGE);
	assert_refused(LIMPET_MODE_BESIDE,
		       "sys: Component driver has an interrupt. Components can");
	give_one(LIMPET_RESOURCE_PORTS, 0x2f8);
	assert_refused(LIMPET_MODE_BESIDE, "Component driver has ports. Components can");
	give_one(LIMPET_RESOURCE_MEMORY, 0xfed00000);
	assert_refused(LIMPET_MODE_BESIDE, "Component driver has memory. Components can");
	give_one(LIMPET_RESOURCE_PCI, 3 << 3);
	assert_refused(LIMPET_MODE_BESIDE,
		       "has a PCI function. Components can have devices only in beneath mode. "
		       "Run `limpet detach`, then `limpet attach --beneath`.");
}

static void test_interrupts(void **state)
{
	(void)state;
	give_one(LIMPET_RESOURCE_INTERRUPT, 3); /* known, but unused */
	assert_possible(LIMPET_MODE_BENEATH);
	give_one(LIMPET_RESOURCE_INTERRUPT, 4); /* a message with that number is not a line */
	assert_possible(LIMPET_MODE_BENEATH);
	give_one(LIMPET_RESOURCE_INTERRUPT, 0); /* Linux's interrupt 0 is at pin 2 */
	assert_possible(LIMPET_MODE_BENEATH);
	give_one(LIMPET_RESOURCE_INTERRUPT, 2);
	assert_refused(LIMPET_MODE_BENEATH, "driver: Linux uses interrupt 2, for timer. Unbind");
	give_one(LIMPET_RESOURCE_INTERRUPT, 9);
	assert_refused(LIMPET_MODE_BENEATH, "driver: Linux uses interrupt 9, for acpi,other.");
	give_one(LIMPET_RESOURCE_INTERRUPT, LIMPET_LINE_MESSAGE);
	assert_possible(LIMPET_MODE_BENEATH);
}

static void test_functions(void **state)
{
	(void)state;
	give_one(LIMPET_RESOURCE_PCI, 3 << 3);
	assert_possible(LIMPET_MODE_BENEATH);
	give_one(LIMPET_RESOURCE_PCI, 4 << 3);
	assert_refused(LIMPET_MODE_BENEATH, "driver: There is no PCI function 0000:00:04.0.");
	give_one(LIMPET_RESOURCE_PCI, 0x00a1feff);
	assert_refused(LIMPET_MODE_BENEATH,
		       "driver: PCI function 00a1:fe:1f.7 has the driver e1000 in Linux. Run `echo "
		       "00a1:fe:1f.7 >/sys/bus/pci/devices/00a1:fe:1f.7/driver/unbind` first.");
}

/* Tests ports and memory that Linux probes itself. The report names the first of several in use. */
static void test_several(void **state)
{
	const struct limpet_image_resource several[] = {
		{ .kind = LIMPET_RESOURCE_PORTS, .first = 0x2f8 },
		{ .kind = LIMPET_RESOURCE_MEMORY, .first = 0xfed00000 },
		{ .kind = LIMPET_RESOURCE_INTERRUPT, .first = 9 },
	};

	(void)state;
	give(several, 2);
	assert_possible(LIMPET_MODE_BENEATH);
	give(several, 3);
	assert_refused(LIMPET_MODE_BENEATH, "driver: Linux uses interrupt 9");
}

/* Unreadable information causes a refusal. */
static void test_no_linux(void **state)
{
	(void)state;
	give_one(LIMPET_RESOURCE_INTERRUPT, 3);
	strcat(root, "/none");
	assert_refused(LIMPET_MODE_BENEATH, "driver: The users of interrupt 3 are unknown:");
	*strrchr(root, '/') = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_beside),	  cmocka_unit_test(test_interrupts),
		cmocka_unit_test(test_functions), cmocka_unit_test(test_several),
		cmocka_unit_test(test_no_linux),
	};

	return cmocka_run_group_tests_name("devices", tests, fake_linux, root_remove);
}
