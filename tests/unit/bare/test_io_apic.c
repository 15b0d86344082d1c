// SPDX-License-Identifier: GPL-2.0
/* Tests the guest's accesses to I/O APICs, and pins of components, with simulated registers. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <host/bare/bare.h>

#include <cmocka.h>

#define CHIPS 2
#define PINS 24
#define SELECT 0
#define WINDOW 0x10
#define END 0x40
#define LOW(pin) (0x10 + 2 * (pin))
#define HIGH(pin) (LOW(pin) + 1)
#define MASKED 0x10000u
#define LEVEL 0x8000u
#define ACTIVE_LOW 0x2000u
#define IN_SERVICE 0x4000u
#define LINE 29 /* pin 5 of the second */
#define PIN 5

static struct fake_processor clock_only;
struct fake_processor *fake_processor = &clock_only;
static struct bare_layer layer;
static struct vmcb vmcb;
static struct bare_cpu cpu = { .layer = &layer, .apic_id = 3, .vm.vmcb = &vmcb };
static struct bare_move move;

static u32 chip[CHIPS][0x100], selected[CHIPS], ended;

u32 bare_io_apic_load(const struct bare_layer *of, const struct bare_io_apic *io, word offset)
{
	word n = (word)(io - of->io_apic);

	assert_true(n < CHIPS && of->device_lock.next != of->device_lock.served);
	return offset == SELECT ? selected[n] : chip[n][selected[n]];
}

void bare_io_apic_store(const struct bare_layer *of, const struct bare_io_apic *io, word offset,
			u32 value)
{
	word n = (word)(io - of->io_apic);

	assert_true(n < CHIPS && of->device_lock.next != of->device_lock.served);
	if (offset == END)
		ended = value;
	else if (offset == SELECT)
		selected[n] = value & 0xff;
	else
		chip[n][selected[n]] = value;
}

static int begin(void **state)
{
	(void)state;
	layer = (struct bare_layer){ .io_apics = CHIPS, .resources = 1 };
	memset(chip, 0, sizeof(chip));
	for (u32 i = 0; i < CHIPS; i++) {
		layer.io_apic[i].physical = 0xfec00000 + i * 0x1000;
		layer.io_apic[i].first = i * PINS;
		chip[i][1] = (PINS - 1) << 16 | 0x20;
	}
	layer.given[0] = (struct limpet_image_resource){ .kind = LIMPET_RESOURCE_INTERRUPT,
							 .first = LINE,
							 .count = 1 };
	layer.resource[0].on = &cpu;
	return 0;
}

static bool guest_access(u32 n, word offset, bool store)
{
	bool done;

	move = (struct bare_move){ .size = 4, .store = store, .reg = 2 };
	done = bare_io_apic_access(&cpu, &layer.io_apic[n], &move, offset);
	assert_int_equal(layer.device_lock.next, layer.device_lock.served);
	return done;
}

static void guest_writes(u32 n, u32 reg, u32 value)
{
	cpu.vm.regs.dx = reg;
	assert_true(guest_access(n, SELECT, true));
	cpu.vm.regs.dx = value;
	assert_true(guest_access(n, WINDOW, true));
}

static u32 guest_reads(u32 n, u32 reg)
{
	cpu.vm.regs.dx = reg;
	assert_true(guest_access(n, SELECT, true));
	cpu.vm.regs.dx = ~0ul;
	assert_true(guest_access(n, WINDOW, false));
	assert_int_equal(cpu.vm.regs.dx >> 32, 0);
	return (u32)cpu.vm.regs.dx;
}

static void test_guest(void **state)
{
	static const struct {
		u32 entry;
		bool masked;
	} entries[] = {
		{ 0x30, false },	{ 0x130, false },
		{ 0x400, false }, /* fixed, lowest, NMI */
		{ 0x230, true },	{ 0x530, true },
		{ 0x730, true }, /* SMI, INIT, external */
		{ 0x1f, true },		{ LEVEL | 2, true },
		{ 0xff, false },	{ LEVEL | 0xef, false },
		{ LEVEL | 0xf0, true }, { 0xf1, true },
		{ LEVEL | 0xf2, true }, { 0xf3, false },
		{ LEVEL | 0xf3, true },
	};

	(void)state;
	for (unsigned int i = 0; i < countof(entries); i++) {
		layer.remapped = false;
		guest_writes(1, LOW(7), entries[i].entry);
		assert_int_equal(chip[1][LOW(7)],
				 entries[i].entry | (entries[i].masked ? MASKED : 0));
		layer.remapped = true; /* an index of the IOMMU, not a vector */
		guest_writes(1, LOW(7), entries[i].entry);
		assert_int_equal(guest_reads(1, LOW(7)), entries[i].entry);
	}
	guest_writes(0, HIGH(7), 0x1f000000);
	assert_int_equal(chip[0][HIGH(7)], 0x1f000000);
	cpu.vm.regs.dx = 0x41;
	assert_true(guest_access(0, END, true));
	assert_int_equal(ended, 0x41);
	assert_false(guest_access(0, 0x20, true));
	assert_false(guest_access(0, 1, false));
	assert_ptr_equal(bare_io_apic_at(&layer, 0xfec01abc), &layer.io_apic[1]);
	assert_null(bare_io_apic_at(&layer, 0xfec02000));
}

/* The guest's writes wait until the pin is returned. It never reads the real state. */
static void test_pin(void **state)
{
	struct bare_resource *r = &layer.resource[0];

	(void)state;
	chip[1][LOW(PIN)] = 0x41 | IN_SERVICE | 0x1000;
	chip[1][HIGH(PIN)] = 0x01000000;
	assert_true(bare_io_apic_take(&layer, 0));
	assert_true(r->io_apic == &layer.io_apic[1] && r->pin == PIN);
	assert_int_equal(chip[1][LOW(PIN)], MASKED);
	bare_io_apic_route(&layer, 0);
	assert_int_equal(chip[1][LOW(PIN)], BARE_VECTOR_DEVICE);
	assert_int_equal(chip[1][HIGH(PIN)], 3u << 24);
	assert_true(bare_io_apic_came(&layer, 0));
	assert_int_equal(chip[1][LOW(PIN)], BARE_VECTOR_DEVICE);
	assert_int_equal(guest_reads(1, LOW(PIN)), 0x41);
	assert_int_equal(guest_reads(1, HIGH(PIN)), 0x01000000);
	guest_writes(1, LOW(PIN), 0x52);
	guest_writes(1, HIGH(PIN), 0x02000000);
	guest_writes(0, LOW(PIN), 0x63); /* the other I/O APIC's pin is not affected */
	assert_int_equal(chip[0][LOW(PIN)], 0x63);
	assert_int_equal(chip[1][LOW(PIN)], BARE_VECTOR_DEVICE);
	assert_int_equal(guest_reads(1, LOW(PIN)), 0x52);
	bare_io_apic_give(&layer, 0);
	assert_int_equal(chip[1][LOW(PIN)], 0x52);
	assert_int_equal(chip[1][HIGH(PIN)], 0x02000000);
	assert_null(r->io_apic);
}

static void test_level(void **state)
{
	const u32 open = BARE_VECTOR_DEVICE | LEVEL | ACTIVE_LOW;

	(void)state;
	layer.given[0].flags = LIMPET_RESOURCE_LEVEL;
	assert_true(bare_io_apic_take(&layer, 0));
	bare_io_apic_route(&layer, 0);
	assert_int_equal(chip[1][LOW(PIN)], open);
	assert_false(bare_io_apic_came(&layer, 0)); /* of another pin with this vector */
	chip[1][LOW(PIN)] |= IN_SERVICE;
	assert_true(bare_io_apic_came(&layer, 0));
	assert_int_equal(chip[1][LOW(PIN)], open | IN_SERVICE | MASKED);
	assert_false(bare_io_apic_came(&layer, 0));
	chip[1][LOW(PIN)] &= ~IN_SERVICE;
	bare_io_apic_open(&layer, 0);
	assert_int_equal(chip[1][LOW(PIN)], open);
	chip[1][LOW(PIN)] |= IN_SERVICE;
	bare_io_apic_give(&layer, 0);
	assert_false(bare_io_apic_came(&layer, 0)); /* it was in flight */
}

static void test_no_line(void **state)
{
	(void)state;
	layer.given[0].first = CHIPS * PINS;
	assert_false(bare_io_apic_take(&layer, 0));
	assert_null(layer.resource[0].io_apic);
	layer.given[0].first = CHIPS * PINS - 1;
	assert_true(bare_io_apic_take(&layer, 0));
	assert_int_equal(layer.resource[0].pin, PINS - 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, begin)
	const struct CMUnitTest tests[] = {
		TEST(test_guest),
		TEST(test_pin),
		TEST(test_level),
		TEST(test_no_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
