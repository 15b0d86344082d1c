// SPDX-License-Identifier: GPL-2.0
/* Tests the guest's port accesses that exit, on a machine with simulated ports. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <host/bare/bare.h>

#include <cmocka.h>

#define IN 1u
#define STRING 4u
#define BEHIND 0x1002
#define FUNCTION 0x28u /* 00:05.0 */
#define ADDRESS(id) (1u << 31 | (id) << 8)
#define GONE 0x3f8 /* eight ports of a component */

static struct fake_processor clock_only;
struct fake_processor *fake_processor = &clock_only;
static struct bare_layer layer;
static struct vmcb vmcb;
static struct bare_cpu cpu = { .layer = &layer, .vm.vmcb = &vmcb };

static u32 address, found, written;
static unsigned int reads, writes, notified;

static bool is_locked(void)
{
	return layer.device_lock.next != layer.device_lock.served;
}

u32 hal_io_read(u16 port, unsigned int bytes)
{
	assert_true(is_locked());
	if (port == BARE_PORT_PCI && bytes == 4)
		return address;
	reads++;
	return found;
}

void hal_io_write(u16 port, unsigned int bytes, u32 value)
{
	assert_true(is_locked());
	if (port == BARE_PORT_PCI && bytes == 4)
		address = value;
	writes++;
	written = value;
}

bool bare_resources_hide(const struct bare_layer *of, u32 kind, word first, word count)
{
	assert_ptr_equal(of, &layer);
	assert_int_equal(kind, LIMPET_RESOURCE_PORTS);
	return first < GONE + 8 && GONE < first + count;
}

bool bare_resources_hide_function(const struct bare_layer *of, u32 id)
{
	return of->functions && id == FUNCTION;
}

void bare_resources_notify(struct bare_layer *of)
{
	assert_ptr_equal(of, &layer);
	notified++;
}

void bare_apic_kick_other(const struct bare_cpu *b, const struct bare_cpu *to)
{
	(void)b;
	(void)to;
}

static int begin(void **state)
{
	(void)state;
	layer = (struct bare_layer){ 0 };
	vmcb = (struct vmcb){ .ip = 0x1000, .exit_info_2 = BEHIND, .interrupt_shadow = 1 };
	address = written = reads = writes = notified = 0;
	found = 0x12345678;
	return 0;
}

static bool guest_access(u16 port, unsigned int size, u32 flags)
{
	bool done;

	vmcb.exit_info_1 = (u64)port << 16 | size << 4 | flags;
	done = bare_port_exit(&cpu);
	assert_false(is_locked());
	return done;
}

static u64 in(u16 port, unsigned int size)
{
	vmcb.ax = ~0ul << 32 | 0xaaaaaaaa;
	assert_true(guest_access(port, size, IN));
	assert_int_equal(vmcb.ip, BEHIND);
	assert_int_equal(vmcb.interrupt_shadow, 0);
	return vmcb.ax;
}

static void out(u16 port, unsigned int size, u32 value)
{
	vmcb.ax = ~0ul << 32 | value;
	assert_true(guest_access(port, size, 0));
}

static void test_sizes(void **state)
{
	(void)state;
	assert_int_equal(in(BARE_PORT_KEYBOARD, 1), 0xffffffffaaaaaa78);
	assert_int_equal(in(BARE_PORT_KEYBOARD, 2), 0xffffffffaaaa5678);
	assert_int_equal(in(BARE_PORT_KEYBOARD, 4), 0x12345678);
	assert_false(guest_access(BARE_PORT_KEYBOARD, 1, STRING));
	assert_false(guest_access(BARE_PORT_KEYBOARD, 1, STRING | IN));
	assert_true(reads == 3 && !writes);
}

static void test_hidden_ports(void **state)
{
	(void)state;
	assert_int_equal(in(GONE + 7, 1), 0xffffffffaaaaaaff);
	assert_int_equal(in(GONE - 1, 2), 0xffffffffaaaaffff);
	assert_int_equal(in(GONE - 3, 4), 0xffffffff);
	out(GONE, 1, 0x41);
	assert_true(!reads && !writes);
}

static void test_line_20(void **state)
{
	(void)state;
	out(BARE_PORT_SYSTEM, 1, 0);
	assert_int_equal(written, 2);
	out(BARE_PORT_KEYBOARD, 1, 0xd1);
	assert_int_equal(written, 0xdf);
	writes = 0;
	out(BARE_PORT_SYSTEM, 2,
	    0x1500); /* not as one access: a device might claim all of it for the first port */
	assert_true(writes == 2 && written == 0x15);
}

/*
 * The hidden function does not exist for the guest, independent of the writer of the address, and
 * of the width.
 */
static void test_function(void **state)
{
	static const struct {
		u16 port;
		unsigned int size;
		bool data;
	} accesses[] = {
		{ 0xcfc, 4, true },  { 0xcfc, 1, true },  { 0xcff, 1, true },  { 0xcfe, 2, true },
		{ 0xcf8, 4, false }, { 0xcf8, 1, false }, { 0xcfb, 2, true },  { 0xcf9, 4, true },
		{ 0xcff, 2, true },  { 0xcfa, 2, false }, { 0xd00, 4, false }, { 0xcf7, 4, false },
	};
	const unsigned int whole = 5; /* the others are split into bytes */

	(void)state;
	for (unsigned int i = 0; i < countof(accesses); i++)
		for (layer.functions = 0; layer.functions <= 1; layer.functions++)
			for (u32 id = FUNCTION - 1; id <= FUNCTION; id++) {
				bool hidden = layer.functions && id == FUNCTION && accesses[i].data;
				unsigned int before = writes;

				address = ADDRESS(id); /* perhaps from before the take */
				if (hidden)
					assert_int_equal((u8)in(accesses[i].port, accesses[i].size),
							 0xff);
				out(accesses[i].port, accesses[i].size, 0);
				assert_int_equal(writes - before, hidden      ? 0
								  : i < whole ? 1
									      : accesses[i].size);
			}
	layer.functions = 1;
	out(BARE_PORT_PCI, 4, ADDRESS(FUNCTION));
	assert_int_equal(address, ADDRESS(FUNCTION)); /* correct when the function is returned */
	assert_int_equal(in(BARE_PORT_PCI, 4), ADDRESS(FUNCTION));
	address = FUNCTION << 8; /* not enabled, so an ordinary port */
	assert_int_equal(in(BARE_PORT_PCI_DATA, 4), 0x12345678);
}

/*
 * Without a system, the machine is reset. With one, the guest is dead. An access to PCI's address
 * port is not a reset.
 */
static void test_reset(void **state)
{
	(void)state;
	out(BARE_PORT_RESET, 1, 6);
	assert_true(writes == 1 && !layer.death);
	layer.state = LIMPET_STATE_RUNNING;
	out(BARE_PORT_PCI, 4, 0x600);
	assert_true(writes == 2 && !layer.death);
	layer.functions = 1;
	out(BARE_PORT_RESET, 4, 6);
	assert_true(writes == 2 && layer.death == LIMPET_DEATH_RESET && notified == 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, begin)
	const struct CMUnitTest tests[] = {
		TEST(test_sizes),    TEST(test_hidden_ports), TEST(test_line_20),
		TEST(test_function), TEST(test_reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
