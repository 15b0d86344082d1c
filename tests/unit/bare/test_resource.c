// SPDX-License-Identifier: GPL-2.0
/*
 * Tests how components get resources of the machine, and how these are returned. The machine is
 * simulated.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <host/bare/bare.h>

#include <cmocka.h>

#define PAGE 4096ul
#define MEMORY 0xfed00000ul
#define PORTS 0x3f8u
#define LINE 17
#define FUNCTION 0x28u /* 00:05.0 */
#define DEVICE 0x11111234u

static struct fake_processor clock_only;
struct fake_processor *fake_processor = &clock_only;
static struct bare_layer layer;
static struct bare_cpu cpu;
static struct cpu kernel;
static u8 ports[3 * PAGE];
static u32 config[1024] __attribute__((aligned(4096)));

static struct {
	struct limpet_image head;
	struct limpet_image_component component[2];
	struct limpet_image_resource resource[8];
} image;

static enum bare_nested nested[4]; /* of pages from MEMORY on */
static unsigned int sets, sets_possible, forgotten, kicks, lines;
static bool hidden_while_forgotten, lines_exist;

bool bare_nested_set(struct bare_pages *pages, const struct bare_memory *m, word physical,
		     enum bare_nested how)
{
	assert_ptr_equal(pages, &layer.spare);
	assert_ptr_equal(m, &layer.physical);
	if (sets == sets_possible)
		return false;
	sets++;
	if (physical - MEMORY < sizeof(nested) / sizeof(*nested) * PAGE)
		nested[(physical - MEMORY) / PAGE] = how;
	else if (!physical)
		nested[0] = how;
	return true;
}

void bare_yield(struct bare_cpu *b)
{
	assert_ptr_equal(b, &cpu);
}

void bare_translations_forget(struct bare_cpu *b)
{
	assert_ptr_equal(b, &cpu);
	forgotten++;
	hidden_while_forgotten = bare_resources_hide(&layer, LIMPET_RESOURCE_MEMORY, MEMORY, 1);
}

bool bare_io_apic_take(struct bare_layer *of, u32 n)
{
	if (lines_exist)
		of->resource[n].io_apic = &of->io_apic[0];
	lines += lines_exist;
	return lines_exist;
}

void bare_io_apic_route(struct bare_layer *of, u32 n)
{
	assert_ptr_equal(of->resource[n].io_apic, &of->io_apic[0]);
}

bool bare_io_apic_came(struct bare_layer *of, u32 n)
{
	assert_ptr_equal(of->resource[n].io_apic, &of->io_apic[0]);
	return true;
}

void bare_io_apic_give(struct bare_layer *of, u32 n)
{
	of->resource[n].io_apic = NULL;
	lines--;
}

void bare_apic_kick(const struct bare_cpu *to)
{
	assert_ptr_equal(to, &cpu);
	kicks++;
}

static int begin(void **state)
{
	(void)state;
	memset(&image, 0, sizeof(image));
	memset(ports, 0, sizeof(ports));
	memset(config, 0, sizeof(config));
	image.head.components_at = offsetof(typeof(image), component);
	image.head.resources_at = offsetof(typeof(image), resource);
	layer = (struct bare_layer){ .ports = ports, .state = LIMPET_STATE_RUNNING };
	layer.physical = (struct bare_memory){ .bits = 47, .hole = 0xfee00000 };
	layer.io_apics = 1;
	layer.io_apic[0].physical = 0xfec00000;
	layer.on[0] = &cpu;
	cpu = (struct bare_cpu){ .layer = &layer, .entry.cpu = &kernel };
	kernel = (struct cpu){ 0 };
	for (unsigned int i = 0; i < countof(nested); i++)
		nested[i] = BARE_NESTED_ALL;
	sets = forgotten = kicks = lines = 0;
	sets_possible = 100;
	lines_exist = true;
	return 0;
}

static struct limpet_image_resource *give(u32 kind, u64 first, u64 count, u32 flags)
{
	struct limpet_image_resource *r = &image.resource[image.head.resources++];

	*r = (struct limpet_image_resource){ 1, kind, flags, 0, first, count };
	return r;
}

static long take(void)
{
	return bare_resources_take(&cpu, &image.head);
}

static bool exits(u16 port)
{
	return ports[port / 8] >> port % 8 & 1;
}

static void test_take(void **state)
{
	(void)state;
	give(LIMPET_RESOURCE_PORTS, PORTS, 8, 0);
	give(LIMPET_RESOURCE_PORTS, BARE_PORT_KEYBOARD - 4, 5, 0); /* the last one always exits */
	give(LIMPET_RESOURCE_MEMORY, MEMORY, PAGE, 0);
	give(LIMPET_RESOURCE_MEMORY, MEMORY + 2 * PAGE, PAGE, LIMPET_RESOURCE_SHOWN);
	give(LIMPET_RESOURCE_INTERRUPT, LINE, 1, 0);
	assert_int_equal(take(), 0);
	assert_int_equal(forgotten, 1);
	assert_true(exits(PORTS) && exits(PORTS + 7) && !exits(PORTS - 1) && !exits(PORTS + 8));
	assert_true(!exits(BARE_PORT_PCI));
	assert_true(nested[0] == BARE_NESTED_ONES && nested[1] == BARE_NESTED_ALL &&
		    nested[2] == BARE_NESTED_READ && nested[3] == BARE_NESTED_ALL);
	assert_true(bare_resources_hide(&layer, LIMPET_RESOURCE_MEMORY, MEMORY + PAGE - 1, 1));
	assert_false(bare_resources_hide(&layer, LIMPET_RESOURCE_MEMORY, MEMORY + PAGE, 1));
	assert_true(bare_resources_hide(&layer, LIMPET_RESOURCE_PORTS, PORTS - 1, 2));
	assert_false(bare_resources_hide(&layer, LIMPET_RESOURCE_PORTS, PORTS - 1, 1));
	assert_false(bare_resources_hide(&layer, LIMPET_RESOURCE_PORTS, PORTS + 8, 4));
	bare_resources_begin(&layer);
	bare_resources_next(&cpu);
	assert_true(nested[0] == BARE_NESTED_ONES && nested[2] == BARE_NESTED_ONES);
	bare_resources_return(&cpu);
	assert_true(hidden_while_forgotten && forgotten == 2);
	assert_true(!layer.resources && !lines && !exits(PORTS) && exits(BARE_PORT_KEYBOARD));
	for (unsigned int i = 0; i < countof(nested); i++)
		assert_int_equal(nested[i], BARE_NESTED_ALL);
	assert_false(bare_resources_hide(&layer, LIMPET_RESOURCE_MEMORY, MEMORY, 1));
}

/* A refused call has changed nothing. */
static void test_refused(void **state)
{
	static const u64 impossible[] = { 0xfec00000, 0xfee00000, 0xfee01000, 1ul << 47,
					  64ul << 20 };

	layer.physical.hidden = 64ul << 20;
	layer.physical.hidden_end = 80ul << 20;
	for (unsigned int i = 0; i < countof(impossible); i++) {
		begin(state);
		layer.physical.hidden = 64ul << 20;
		layer.physical.hidden_end = 80ul << 20;
		give(LIMPET_RESOURCE_MEMORY, MEMORY, PAGE, 0);
		give(LIMPET_RESOURCE_MEMORY, impossible[i] - PAGE, 2 * PAGE, 0);
		assert_int_equal(take(), BARE_ENXIO);
		assert_true(!layer.resources && nested[0] == BARE_NESTED_ALL);
	}
	begin(state);
	give(LIMPET_RESOURCE_MEMORY, 0 - PAGE, PAGE, 0); /* from the base address register */
	assert_int_equal(take(), BARE_ENXIO);
	begin(state);
	give(LIMPET_RESOURCE_PORTS, PORTS, 1, 0);
	give(LIMPET_RESOURCE_INTERRUPT, LINE, 1, 0);
	lines_exist = false;
	assert_int_equal(take(), BARE_ENXIO);
	assert_true(!layer.resources && !exits(PORTS));
	lines_exist = true;
	cpu.apic_id = 255;
	assert_int_equal(take(), BARE_ENXIO);
	begin(state);
	give(LIMPET_RESOURCE_MEMORY, MEMORY, PAGE, 0);
	sets_possible = 0;
	assert_int_equal(take(), BARE_E2BIG);
	assert_true(!layer.resources);
}

/* The first page of memory can also be a resource. */
static void test_next(void **state)
{
	(void)state;
	give(LIMPET_RESOURCE_MEMORY, 0, PAGE, LIMPET_RESOURCE_SHOWN);
	assert_int_equal(take(), 0);
	assert_int_equal(nested[0], BARE_NESTED_READ);
	bare_resources_next(&cpu);
	assert_int_equal(nested[0], BARE_NESTED_ONES);
}

static void test_interrupts(void **state)
{
	word *came = &kernel.inbox.event[INBOX_INTERRUPT / 64];

	(void)state;
	give(LIMPET_RESOURCE_INTERRUPT, LIMPET_LINE_LINUX, 1, 0);
	give(LIMPET_RESOURCE_INTERRUPT, LIMPET_LINE_MESSAGE, 1, 0);
	give(LIMPET_RESOURCE_INTERRUPT, LINE, 1, 0);
	assert_int_equal(take(), 0);
	bare_resources_came(&cpu);
	assert_int_equal(*came, 6);
	*came = 0;
	layer.death = LIMPET_DEATH_PANIC;
	bare_resources_notify(&layer);
	assert_true(*came == 1 && kicks == 1);
	assert_int_equal(kernel.inbox.host_state, LIMPET_DEATH_PANIC);
	layer.state = LIMPET_STATE_DEAD; /* or just loaded: no component runs yet */
	layer.resource[0].on = NULL;
	bare_resources_notify(&layer);
	layer.state = LIMPET_STATE_RUNNING;
	layer.resource[0].on = &cpu;
	cpu.entry.cpu = NULL; /* that CPU has already detached */
	bare_resources_notify(&layer);
	bare_resources_came(&cpu);
	assert_true(*came == 1 && kicks == 1);
}

/* Refuses memory or ports of another component's PCI function, and the configuration of all functions. */
static void test_twice(void **state)
{
	for (unsigned int i = 0; i < 4; i++) {
		begin(state);
		layer.virtual_offset = (word)config - (MEMORY + PAGE);
		layer.config[0] =
			(struct bare_config){ .physical = MEMORY + PAGE - (FUNCTION << 12),
					      .last = 255 };
		layer.configs = 1;
		config[0] = DEVICE;
		config[4] = 0xfeb00100;
		config[5] = 0xc001;
		if (i < 2) {
			give(LIMPET_RESOURCE_PCI, FUNCTION, 1, 0);
			give(i ? LIMPET_RESOURCE_PORTS : LIMPET_RESOURCE_MEMORY,
			     i ? 0xc000 : 0xfeb00000, i ? 8 : PAGE, 0)
				->component = 0;
		} else {
			give(LIMPET_RESOURCE_MEMORY, MEMORY + (i - 2) * PAGE, PAGE, 0);
		}
		assert_int_equal(take(), BARE_EEXIST);
		assert_true(!layer.resources && !layer.functions && !exits(BARE_PORT_PCI));
	}
}

/* The simulated memory keeps what is written to it, so each part seems to have the minimum size. */
static void test_function(void **state)
{
	(void)state;
	layer.virtual_offset = (word)config - (MEMORY + PAGE);
	layer.config[0] =
		(struct bare_config){ .physical = MEMORY + PAGE - (FUNCTION << 12), .last = 255 };
	layer.configs = 1;
	config[0] = DEVICE;
	config[1] = 0x00100006;
	config[4] = 0xfeb00100;
	config[5] = 0xc001;
	give(LIMPET_RESOURCE_PCI, FUNCTION, 1, 0);
	assert_int_equal(take(), 0);
	assert_int_equal(layer.resources, 3);
	assert_int_equal(layer.given[0].flags, LIMPET_RESOURCE_CONFIG);
	assert_int_equal(nested[1], BARE_NESTED_ONES);
	assert_true(layer.given[1].first == 0xfeb00000 && layer.given[1].count == PAGE);
	assert_true(layer.given[2].first == 0xc000 && layer.given[2].count == 4);
	assert_true(exits(BARE_PORT_PCI) && exits(BARE_PORT_PCI_DATA + 3) && exits(0xc003));
	assert_true(bare_resources_hide_function(&layer, FUNCTION));
	assert_int_equal(config[4], 0xfeb00100);
	assert_int_equal(config[1], 3);
	config[4] = 0xabc00000;
	bare_resources_return(&cpu);
	assert_int_equal(config[4], 0xfeb00100);
	assert_int_equal(config[1], 2);
	assert_true(!layer.functions && !exits(BARE_PORT_PCI) && exits(BARE_PORT_RESET));
	config[3] = 1 << 16; /* a bridge */
	assert_int_equal(take(), BARE_ENXIO);
	config[3] = 0;
	config[0] = ~0u;
	assert_int_equal(take(), BARE_ENXIO);
	image.resource[0].first = 1u << 16 | FUNCTION; /* another segment */
	assert_int_equal(take(), BARE_ENXIO);
	assert_true(!layer.resources && !layer.functions);
}

static void test_size(void **state)
{
	const u64 ones = ~0ul << 32;

	(void)state;
	assert_int_equal(bare_pci_size(ones | 0xfffff000, false, false), 0x1000);
	assert_int_equal(bare_pci_size(ones | 0x80000008, false, false), 0x80000000);
	assert_int_equal(bare_pci_size(ones, false, false), 0);
	assert_int_equal(bare_pci_size(ones | 0xfff0000c, false, true), 0x100000);
	assert_int_equal(bare_pci_size(ones | 0xc, false, true), 1ul << 32);
	assert_int_equal(bare_pci_size((~0ul << 33) | 0xc, false, true), 1ul << 33);
	assert_int_equal(bare_pci_size(0, false, true), 0);
	assert_int_equal(bare_pci_size(ones | 0xffffffe1, true, false), 0x20);
	assert_int_equal(bare_pci_size(ones | 0xffe1, true, false), 0x20); /* decodes 16 bits */
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, begin)
	const struct CMUnitTest tests[] = {
		TEST(test_take),     TEST(test_refused), TEST(test_next),  TEST(test_interrupts),
		TEST(test_function), TEST(test_size),	 TEST(test_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
