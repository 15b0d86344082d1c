// SPDX-License-Identifier: GPL-2.0
/*
 * Tests resources of the machine: their owners, and the effects of ports, pages and interrupts of
 * devices.
 */
#include "objects.h"

#define AT 0x10000000ul
#define RW (LIMPET_READ | LIMPET_WRITE)
#define CPU_CAP LIMPET_BOOT_CPU
#define IO fake_processor->io
#define NOT_MANAGE (LIMPET_ALL & ~LIMPET_MANAGE)

static word resource_new(word number)
{
	word slot = slot_new();

	assert_ok(call(RESOURCE_CREATE, CPU_CAP, number, T, slot));
	return slot;
}

static struct page_table *pt_of(word slot)
{
	return (struct page_table *)cap_at(slot)->object;
}

static void test_info(void **state)
{
	word few = weaker(CPU_CAP, NOT_MANAGE);

	(void)state;
	assert_status(call(RESOURCE_INFO, EMPTY, 0), ESLOT);
	assert_status(call(RESOURCE_INFO, T, 0), ETYPE);
	assert_status(call(RESOURCE_INFO, few, 0), ERIGHTS);
	assert_status(call(RESOURCE_INFO, CPU_CAP, RESOURCE_OTHER), ERANGE);
	assert_status(call(RESOURCE_INFO, CPU_CAP, ~0ul), ERANGE);
	for (word i = 0; i < RESOURCE_OTHER; i++) {
		assert_ok(call(RESOURCE_INFO, CPU_CAP, i));
		assert_int_equal(user->words[0],
				 machine_resource[i].kind | machine_resource[i].flags << 8);
		assert_int_equal(user->words[1], machine_resource[i].first);
		assert_int_equal(user->words[2], machine_resource[i].count);
	}
}

static void test_create_errors(void **state)
{
	word few = weaker(CPU_CAP, NOT_MANAGE), table = weaker(T, LIMPET_READ);

	(void)state;
	assert_status(call(RESOURCE_CREATE, EMPTY, 0, T, EMPTY), ESLOT);
	assert_status(call(RESOURCE_CREATE, T, 0, T, EMPTY), ETYPE);
	assert_status(call(RESOURCE_CREATE, few, 0, T, EMPTY), ERIGHTS);
	assert_status(call(RESOURCE_CREATE, weaker(LIMPET_BOOT_CPU, LIMPET_MANAGE), 0, T, EMPTY),
		      ERIGHTS);
	assert_status(call(RESOURCE_CREATE, CPU_CAP, 0, EMPTY, EMPTY), ESLOT);
	assert_status(call(RESOURCE_CREATE, CPU_CAP, 0, CPU_CAP, EMPTY), ETYPE);
	assert_status(call(RESOURCE_CREATE, CPU_CAP, 0, table, EMPTY), ERIGHTS);
	assert_status(call(RESOURCE_CREATE, CPU_CAP, 0, T, 0), ESLOT);
	assert_status(call(RESOURCE_CREATE, CPU_CAP, 0, T, T), EFULL);
	assert_status(call(RESOURCE_CREATE, CPU_CAP, RESOURCE_OTHER, T, EMPTY), ERANGE);
	assert_status(call(RESOURCE_CREATE, CPU_CAP, ~0ul, T, EMPTY), ERANGE);
	assert_status(call(RESOURCE_CREATE, CPU_CAP, RESOURCE_ALIEN, T, EMPTY), ERANGE);
}

/* Each kernel assigns the resources of its CPU's components. All kernels list all resources. */
static void test_create_two(void **state)
{
	(void)state;
	assert_status(call(RESOURCE_CREATE, CPU_CAP, RESOURCE_OTHER, T, EMPTY), ERANGE);
	assert_ok(call(RESOURCE_CREATE, CPU_CAP, RESOURCE_PORTS, T, EMPTY));
	machine_play(1);
	assert_status(call(RESOURCE_CREATE, CPU_CAP, RESOURCE_PORTS, T, EMPTY), ERANGE);
	assert_ok(call(RESOURCE_INFO, CPU_CAP, RESOURCE_OTHER));
	assert_int_equal(user->words[0], LIMPET_RESOURCE_PORTS | 1ul << 32);
	assert_ok(call(RESOURCE_CREATE, CPU_CAP, RESOURCE_OTHER, T, EMPTY));
	assert_ok(call(IO_READ, EMPTY, 0x2f8, 1));
}

/* A resource is derived from the CPU's capability, is revoked with it, and has its kind's type and rights. */
static void test_create(void **state)
{
	static const struct {
		word number, type, rights;
	} expected[] = {
		{ RESOURCE_PORTS, LIMPET_IO_PORTS, RW | LIMPET_GRANT },
		{ RESOURCE_MEMORY, LIMPET_DEVICE_MEMORY, RW | LIMPET_GRANT },
		{ RESOURCE_EDGE, LIMPET_INTERRUPT, LIMPET_WRITE | LIMPET_MANAGE | LIMPET_GRANT },
		{ RESOURCE_LINUX, LIMPET_INTERRUPT, LIMPET_WRITE | LIMPET_MANAGE | LIMPET_GRANT },
	};
	word some = weaker(CPU_CAP, LIMPET_ALL);

	(void)state;
	for (unsigned int i = 0; i < countof(expected); i++) {
		assert_ok(call(RESOURCE_CREATE, some, expected[i].number, T, EMPTY));
		assert_ok(call(CAP_INFO, T, EMPTY));
		assert_int_equal(user->words[0], expected[i].type);
		assert_int_equal(user->words[1], expected[i].rights);
		assert_int_equal(user->words[2], 0);
		assert_ok(call(CAP_REVOKE, T, some));
		assert_status(call(CAP_INFO, T, EMPTY), ESLOT);
	}
}

/* Calls about frames refuse resources. */
static void test_no_frames(void **state)
{
	word memory = resource_new(RESOURCE_MEMORY);

	(void)state;
	assert_status(call(FRAME_SPLIT, memory, 1, T, EMPTY), ETYPE);
	assert_status(call(FRAME_RETYPE, memory, LIMPET_ENDPOINT, T, EMPTY), ETYPE);
	assert_status(call(PT_EXTEND, LIMPET_BOOT_PAGE_TABLE, memory), ETYPE);
	assert_status(call(CHANNEL_CREATE, CPU_CAP, memory, 0, 0, T, EMPTY), ETYPE);
	for (word type = LIMPET_DEVICE_MEMORY; type < LIMPET_TYPES; type++)
		assert_status(call(FRAME_RETYPE, frames_new(1), type, T, EMPTY), ERANGE);
}

/* --- ports */

static void test_io(void **state)
{
	static const word sizes[] = { 1, 2, 4 };
	word ports = resource_new(RESOURCE_PORTS);

	(void)state;
	for (unsigned int i = 0; i < countof(sizes); i++) {
		word bytes = sizes[i], mask = (1ul << 8 * bytes) - 1, last = 0x78 - bytes;

		assert_ok(call(IO_WRITE, ports, 0x70, bytes, ~0ul));
		assert_int_equal(IO.writes, i + 1);
		assert_int_equal(IO.port, 0x70);
		assert_int_equal(IO.bytes, bytes);
		assert_int_equal(IO.value, mask);
		IO.value = 0x87654321;
		assert_ok(call(IO_READ, ports, last, bytes));
		assert_int_equal(IO.reads, i + 1);
		assert_int_equal(IO.port, last);
		assert_int_equal(IO.bytes, bytes);
		assert_int_equal(user->words[0], 0x87654321 & mask);
	}
}

/* Both calls refuse this port and size. */
static void io_refused(word ports, word port, word bytes)
{
	assert_status(call(IO_READ, ports, port, bytes), ERANGE);
	assert_status(call(IO_WRITE, ports, port, bytes, 0), ERANGE);
}

static void test_io_errors(void **state)
{
	word ports = resource_new(RESOURCE_PORTS);
	word read = weaker(ports, LIMPET_READ), write = weaker(ports, LIMPET_WRITE);

	(void)state;
	assert_status(call(IO_READ, EMPTY, 0x70, 1), ESLOT);
	assert_status(call(IO_READ, T, 0x70, 1), ETYPE);
	assert_status(call(IO_READ, write, 0x70, 1), ERIGHTS);
	assert_status(call(IO_WRITE, EMPTY, 0x70, 1, 0), ESLOT);
	assert_status(call(IO_WRITE, T, 0x70, 1, 0), ETYPE);
	assert_status(call(IO_WRITE, read, 0x70, 1, 0), ERIGHTS);
	io_refused(ports, 0x6f, 1);
	io_refused(ports, 0x6f, 2);
	io_refused(ports, 0x78, 1);
	io_refused(ports, 0x77, 2);
	io_refused(ports, 0x75, 4);
	io_refused(ports, 0x10070, 1);
	io_refused(ports, ~0ul, 2);
	io_refused(ports, 1ul << 63, 1);
	io_refused(ports, 0x70, 0);
	io_refused(ports, 0x70, 3);
	io_refused(ports, 0x70, 8);
	io_refused(ports, 0x70, 1ul << 32 | 1);
	io_refused(ports, 0x70, ~0ul);
	assert_int_equal(IO.reads + IO.writes, 0);
}

/* --- pages */

static void test_map(void **state)
{
	word pt = page_table_new(7), memory = resource_new(RESOURCE_MEMORY);
	unsigned int rights;

	(void)state;
	assert_ok(call(PT_MAP, pt, memory, 8, AT, LIMPET_MAP_MAX, RW));
	for (word i = 0; i < LIMPET_MAP_MAX; i++) {
		assert_ptr_equal(fake_lookup(&pt_of(pt)->hal, AT + i * LIMPET_PAGE, &rights),
				 DEVICE + (8 + i) * LIMPET_PAGE);
		assert_int_equal(rights, RW | FAKE_DEVICE);
	}
	assert_status(call(PT_MAP, pt, memory, 0, AT, 1, RW), EFULL);
	assert_status(call(PT_MAP, pt, frames_new(1), 0, AT, 1, RW), EFULL);
	assert_ok(call(PT_PROTECT, pt, AT, 1, LIMPET_READ));
	assert_non_null(fake_lookup(&pt_of(pt)->hal, AT, &rights));
	assert_int_equal(rights, LIMPET_READ | FAKE_DEVICE);
	assert_ok(call(PT_UNMAP, pt, AT, LIMPET_MAP_MAX));
	assert_null(fake_lookup(&pt_of(pt)->hal, AT, NULL));
	assert_ok(call(PT_MAP, pt, frames_new(1), 0, AT, 1, RW));
	assert_non_null(fake_lookup(&pt_of(pt)->hal, AT, &rights));
	assert_int_equal(rights, RW);
}

static void test_map_errors(void **state)
{
	word pt = page_table_new(7), memory = resource_new(RESOURCE_MEMORY);
	word read = weaker(memory, LIMPET_READ);

	(void)state;
	assert_status(call(PT_MAP, pt, memory, 0, AT, 1, LIMPET_READ | LIMPET_EXEC), ERIGHTS);
	assert_status(call(PT_MAP, pt, memory, 0, AT, 1, RW | LIMPET_EXEC), ERIGHTS);
	assert_status(call(PT_MAP, pt, read, 0, AT, 1, RW), ERIGHTS);
	assert_status(call(PT_MAP, pt, memory, 0, AT, 1, LIMPET_WRITE), ERANGE);
	assert_status(call(PT_MAP, pt, memory, DEVICE_PAGES, AT, 1, RW), ERANGE);
	assert_status(call(PT_MAP, pt, memory, DEVICE_PAGES - 1, AT, 2, RW), ERANGE);
	assert_status(call(PT_MAP, pt, memory, ~0ul, AT, 2, RW), ERANGE);
	assert_status(call(PT_MAP, pt, resource_new(RESOURCE_PORTS), 0, AT, 1, RW), ETYPE);
	assert_status(call(PT_MAP, pt, resource_new(RESOURCE_EDGE), 0, AT, 1, RW), ETYPE);
	assert_ok(call(PT_MAP, pt, read, 0, AT, 1, LIMPET_READ));
}

/* A page is already mapped, or levels are missing, so the pages before it are unmapped again. */
static void test_map_fails_midway(void **state)
{
	word pt = page_table_new(1 + 3), memory = resource_new(RESOURCE_MEMORY);
	word end = AT + (1ul << 21);

	(void)state;
	machine.partial = true;
	assert_ok(call(PT_MAP, pt, frames_new(1), 0, AT + 2 * LIMPET_PAGE, 1, RW));
	assert_status(call(PT_MAP, pt, memory, 0, AT, 3, RW), EFULL);
	assert_null(fake_lookup(&pt_of(pt)->hal, AT, NULL));
	assert_status(call(PT_MAP, pt, memory, 0, end - 2 * LIMPET_PAGE, 4, RW), ENOMEM);
	assert_null(fake_lookup(&pt_of(pt)->hal, end - 2 * LIMPET_PAGE, NULL));
}

/* Maps device pages next to pages of memory, which are counted and freed. */
static void test_page_table_goes(void **state)
{
	word used = frames_used(), pt = page_table_new(1 + 9);
	word memory = resource_new(RESOURCE_MEMORY), frames = frames_new(4);

	(void)state;
	for (word i = 0; i < 3; i++) {
		assert_ok(call(PT_MAP, pt, memory, i, AT + i * (1ul << 21), 2, RW));
		assert_ok(
			call(PT_MAP, pt, frames, i, AT + i * (1ul << 21) + 2 * LIMPET_PAGE, 1, RW));
	}
	assert_int_equal(frames_used(), used + 2 + 9 + 3);
	assert_ok(delete_all(pt));
	assert_int_equal(frames_used(), used);
}

/* --- interrupts */

/* Returns the pending bits of the endpoint without waiting. */
static word received(word ep)
{
	long status = call(ENDPOINT_RECEIVE, ep, 0, LIMPET_NOWAIT);

	return status == LIMPET_EEMPTY ? 0 : user->words[0];
}

static void comes(word number)
{
	interrupt_came(number);
	interrupt();
}

static void test_bind_errors(void **state)
{
	word i = resource_new(RESOURCE_EDGE), ep = object_new(LIMPET_ENDPOINT, 1);

	(void)state;
	assert_status(call(INTERRUPT_BIND, EMPTY, ep, 1), ESLOT);
	assert_status(call(INTERRUPT_BIND, ep, ep, 1), ETYPE);
	assert_status(call(INTERRUPT_BIND, weaker(i, NOT_MANAGE), ep, 1), ERIGHTS);
	assert_status(call(INTERRUPT_BIND, i, EMPTY, 1), ESLOT);
	assert_status(call(INTERRUPT_BIND, i, i, 1), ETYPE);
	assert_status(call(INTERRUPT_BIND, i, weaker(ep, NOT_MANAGE), 1), ERIGHTS);
	assert_status(call(INTERRUPT_BIND, i, ep, 0), ERANGE);
	assert_status(call(INTERRUPT_BIND, i, ep, LIMPET_EVENT_TIMER), ERANGE);
	assert_status(call(INTERRUPT_BIND, i, ep, LIMPET_EVENT_EARLY | 1), ERANGE);
	assert_status(call(INTERRUPT_ACK, EMPTY), ESLOT);
	assert_status(call(INTERRUPT_ACK, ep), ETYPE);
	assert_status(call(INTERRUPT_ACK, weaker(i, NOT_MANAGE & ~LIMPET_WRITE)), ERIGHTS);
}

/* The thread that waits for it continues. */
static void test_interrupt(void **state)
{
	word i = resource_new(RESOURCE_EDGE), ep = endpoint_new(LIMPET_BOOT_THREAD);

	(void)state;
	assert_ok(call(INTERRUPT_BIND, i, ep, 0x30));
	call(ENDPOINT_RECEIVE, ep, 0, 0);
	assert_true(cpu->idle);
	comes(RESOURCE_EDGE);
	assert_false(cpu->idle);
	assert_int_equal(user->words[0], 0x30);
	assert_int_equal(received(ep), 0);
}

/* An interrupt without a receiver is counted. Another binding replaces the first. */
static void test_bind_again(void **state)
{
	word i = resource_new(RESOURCE_EDGE), first = endpoint_new(LIMPET_BOOT_THREAD);
	word second = object_new(LIMPET_ENDPOINT, 1);

	(void)state;
	comes(RESOURCE_EDGE);
	assert_ok(call(INTERRUPT_BIND, i, first, 1));
	assert_int_equal(received(first), 0);
	comes(RESOURCE_EDGE);
	comes(RESOURCE_EDGE);
	comes(RESOURCE_LEVEL); /* of another component, and invalid numbers */
	comes(63);
	assert_int_equal(received(first), 1);
	assert_ok(call(INTERRUPT_BIND, i, first, 4));
	comes(RESOURCE_EDGE);
	assert_int_equal(received(first), 4);
	assert_ok(call(INTERRUPT_BIND, i, second, 2));
	comes(RESOURCE_EDGE);
	assert_int_equal(received(first), 0);
	assert_int_equal(endpoint_of(second)->bits, 2);
	assert_ok(call(INTERRUPT_ACK, i));
	assert_int_equal(user->words[0], 5);
	assert_int_equal(user->words[1], 0);
}

static void test_endpoint_goes(void **state)
{
	word i = resource_new(RESOURCE_EDGE), ep = object_new(LIMPET_ENDPOINT, 1);

	(void)state;
	assert_ok(call(INTERRUPT_BIND, i, ep, 1));
	assert_ok(call(CAP_DELETE, T, ep));
	assert_null(cpu->source[INBOX_INTERRUPT + RESOURCE_EDGE].endpoint);
	comes(RESOURCE_EDGE); /* not bound */
	assert_ok(call(INTERRUPT_ACK, i));
	assert_int_equal(user->words[0], 1);
}

/* Only a level-triggered line waits for it, and only for that the host gets the CPU. */
static void test_ack(void **state)
{
	word i = resource_new(RESOURCE_LEVEL), edge = resource_new(RESOURCE_EDGE);

	(void)state;
	comes(RESOURCE_LEVEL);
	assert_ok(call(INTERRUPT_ACK, edge));
	assert_ok(call(INTERRUPT_ACK, resource_new(RESOURCE_LINUX)));
	assert_ok(call(INTERRUPT_ACK, resource_new(RESOURCE_MESSAGE)));
	assert_int_equal(cpu->host.pending, 0);
	assert_ok(call(INTERRUPT_ACK, weaker(i, LIMPET_WRITE)));
	assert_int_equal(user->words[0], 1);
	assert_int_equal(cpu->host.pending, HOST_ACK);
	host_serve();
	assert_int_equal(host->acks, 1ul << RESOURCE_LEVEL);
	assert_int_equal(cpu->host.acks, 0);
}

static void test_message(void **state)
{
	word ep = object_new(LIMPET_ENDPOINT, 1);

	(void)state;
	assert_ok(call(INTERRUPT_BIND, resource_new(RESOURCE_MESSAGE), ep, 1));
	assert_int_equal(user->words[0], MESSAGE(0));
	assert_int_equal(user->words[1], MESSAGE_DATA);
	assert_ok(call(INTERRUPT_BIND, resource_new(RESOURCE_EDGE), ep, 1));
	assert_int_equal(user->words[0], 0);
	assert_int_equal(user->words[1], 0);
}

static void test_linux(void **state)
{
	word i = resource_new(RESOURCE_LINUX), edge = resource_new(RESOURCE_EDGE);
	word ep = endpoint_new(LIMPET_BOOT_THREAD);

	(void)state;
	assert_ok(call(INTERRUPT_BIND, i, ep, 8));
	cpu->inbox.host_state = 3;
	comes(RESOURCE_LINUX);
	assert_int_equal(received(ep), 8);
	assert_ok(call(INTERRUPT_ACK, i));
	assert_int_equal(user->words[0], 1);
	assert_int_equal(user->words[1], 3);
	assert_ok(call(INTERRUPT_ACK, edge));
	assert_int_equal(user->words[1], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_info),
		TEST(test_create_errors),
		TEST_TWO(test_create_two),
		TEST(test_create),
		TEST(test_no_frames),
		TEST(test_io),
		TEST(test_io_errors),
		TEST(test_map),
		TEST(test_map_errors),
		TEST(test_map_fails_midway),
		TEST(test_page_table_goes),
		TEST(test_bind_errors),
		TEST(test_interrupt),
		TEST(test_bind_again),
		TEST(test_endpoint_goes),
		TEST(test_ack),
		TEST(test_message),
		TEST(test_linux),
	};

	return RUN("resource", tests);
}
