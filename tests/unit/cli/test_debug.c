// SPDX-License-Identifier: GPL-2.0
/* Tests gdb's remote protocol with packets of any bytes, and their effects on a made-up component. */
#include <cli/command/debug/remote.h>
#include <limpet/error.h>

#include "test.h"

#define MEMORY 0x1000000000ul /* the address of two pages of memory */
#define PAGE 4096ul
#define STOPPED 5 /* the id of the stopped thread. Thread 3 waits in another component */

static struct {
	unsigned char memory[2 * PAGE];
	uint64_t value[TARGET_REGISTERS], event, breakpoint;
	long state;
	uint64_t kind;
	unsigned int went, stops, detached;
	enum target_how how;
	unsigned int thread;
} fake;
static struct remote remote;

static long fake_detach(void *to)
{
	(void)to;
	fake.detached++;
	return 0;
}

static long fake_stop(void *to)
{
	(void)to;
	fake.stops++;
	return 0;
}

static long fake_go(void *to, unsigned int thread, enum target_how how)
{
	(void)to;
	if (thread && thread != STOPPED)
		return LIMPET_ENOENT;
	fake.went++;
	fake.thread = thread;
	fake.how = how;
	return 0;
}

static long fake_state(void *to, uint64_t *event)
{
	(void)to;
	*event = fake.event;
	return fake.state;
}

static long fake_next(void *to, unsigned int after, struct target_thread *thread)
{
	(void)to;
	*thread = (struct target_thread){ after >= 3, after >= 3 ? fake.kind : 0 };
	return after < 3 ? 3 : after < STOPPED ? STOPPED : LIMPET_ENOENT;
}

static long fake_registers(void *to, unsigned int thread, unsigned int what, uint64_t value[3])
{
	(void)to;
	if (thread != STOPPED)
		return LIMPET_ENOENT;
	memcpy(value, fake.value + 3 * what, 24);
	return 0;
}

static long fake_set(void *to, unsigned int thread, unsigned int number, uint64_t value)
{
	(void)to;
	assert_true(number < TARGET_REGISTERS);
	if (thread != STOPPED)
		return LIMPET_ENOENT;
	fake.value[number] = value;
	return 0;
}

static long fake_read(void *to, uint64_t address, uint64_t value[3])
{
	(void)to;
	assert_int_equal(address % 8, 0);
	if (address - MEMORY >= sizeof(fake.memory))
		return LIMPET_ENOENT;
	memset(value, 0, 24);
	for (int i = 0; i < 3 && address - MEMORY < sizeof(fake.memory); i++, address += 8)
		memcpy(&value[i], fake.memory + (address - MEMORY), 8);
	return 0;
}

static long fake_write(void *to, uint64_t address, uint8_t value)
{
	(void)to;
	if (address - MEMORY >= sizeof(fake.memory))
		return LIMPET_ENOENT;
	fake.memory[address - MEMORY] = value;
	return 0;
}

static long fake_insert(void *to, uint64_t address)
{
	(void)to;
	fake.breakpoint = address;
	return 0;
}

static long fake_remove(void *to, uint64_t address)
{
	(void)to;
	if (fake.breakpoint != address)
		return LIMPET_ENOENT;
	fake.breakpoint = 0;
	return 0;
}

static int setup(void **state)
{
	(void)state;
	memset(&fake, 0, sizeof(fake));
	memset(&remote, 0, sizeof(remote));
	fake.kind = TARGET_HELD;
	fake.state = 1;
	for (unsigned int n = 0; n < TARGET_REGISTERS; n++)
		fake.value[n] = n * 0x0101010101010101;
	for (unsigned int i = 0; i < sizeof(fake.memory); i++)
		fake.memory[i] = (unsigned char)(i * 7);
	remote.target = (struct target){ NULL,	     fake_detach, fake_stop,	  fake_go,
					 fake_state, fake_next,	  fake_registers, fake_set,
					 fake_read,  fake_write,  fake_insert,	  fake_remove };
	return 0;
}

static const char *ask(const char *packet)
{
	return remote_packet(&remote, packet, strlen(packet)) ? remote.answer : NULL;
}

/* Returns the event for the last byte of a text in a new reader. */
static enum packet_event last(struct packet_reader *reader, const char *text)
{
	enum packet_event event = PACKET_NONE;

	memset(reader, 0, sizeof(*reader));
	for (; *text; text++)
		event = packet_take(reader, *text);
	return event;
}

static void test_packets(void **state)
{
	static struct packet_reader reader;

	(void)state;
	assert_int_equal(last(&reader, "++$g#67"), PACKET_WHOLE);
	assert_string_equal(reader.data, "g");
	assert_int_equal(last(&reader, "$#00"), PACKET_WHOLE);
	assert_int_equal(reader.length, 0);
	assert_int_equal(last(&reader, "noise$g#68"), PACKET_DAMAGED);
	assert_int_equal(last(&reader, "$g#6x"), PACKET_DAMAGED);
	assert_int_equal(last(&reader, "$g#x"), PACKET_DAMAGED);
	assert_int_equal(last(&reader, "$lost$g#67"), PACKET_WHOLE);
	assert_string_equal(reader.data, "g");
	assert_int_equal(last(&reader, "$a}\003#e1"), PACKET_WHOLE); /* an escaped # */
	assert_string_equal(reader.data, "a#");
	assert_int_equal(last(&reader, "\003"), PACKET_INTERRUPT);
	assert_int_equal(last(&reader, "$a\003"), PACKET_NONE);
	assert_int_equal(last(&reader, "-"), PACKET_REPEAT);
}

static void test_long(void **state)
{
	static struct packet_reader reader;
	static char packet[PACKET_MAX + PACKET_FRAME], contents[PACKET_MAX];
	size_t length;

	(void)state;
	memset(contents, 'm', sizeof(contents));
	length = packet_make(packet, contents, sizeof(contents));
	assert_int_equal(length, sizeof(packet));
	for (size_t i = 0; i + 1 < length; i++)
		assert_int_equal(packet_take(&reader, packet[i]), PACKET_NONE);
	assert_int_equal(packet_take(&reader, packet[length - 1]), PACKET_WHOLE);
	assert_int_equal(reader.length, PACKET_MAX);
	assert_memory_equal(reader.data, contents, sizeof(contents));
	packet_take(&reader, '$');
	for (size_t i = 0; i < 3 * PACKET_MAX; i++)
		assert_int_equal(packet_take(&reader, '@'),
				 PACKET_NONE); /* '@' is 0x40, so the sum is 0x40 * 12285 */
	packet_take(&reader, '#');
	packet_take(&reader, '4');
	assert_int_equal(packet_take(&reader, '0'), PACKET_LONG);
	assert_int_equal(last(&reader, "$g#67"), PACKET_WHOLE);
}

/* With random bytes the reader stays within its memory, and then it reads a valid packet. */
static void test_garbage(void **state)
{
	static struct packet_reader reader;
	uint64_t seed = 1;

	(void)state;
	for (unsigned int i = 0; i < 200000; i++) {
		static const char often[] = "$#}+-g0f";
		const uint64_t chance = test_random(&seed);
		const char byte = chance & 1 ? often[chance >> 8 & 7] : (char)(chance >> 16);

		if (packet_take(&reader, byte) == PACKET_WHOLE) {
			setup(NULL);
			remote_packet(&remote, reader.data, reader.length);
		}
		assert_true(reader.length <= PACKET_MAX + 1);
	}
	packet_take(&reader, '#');
	packet_take(&reader, 'x');
	for (const char *c = "$g#6"; *c; c++)
		packet_take(&reader, *c);
	assert_int_equal(packet_take(&reader, '7'), PACKET_WHOLE);
}

/* Random contents that resemble packets do not exceed the answer's memory. */
static void test_odd_packets(void **state)
{
	static const char *const words[] = { "vCont",
					     ";",
					     ":",
					     ",",
					     "-",
					     "c",
					     "s",
					     "C",
					     "m",
					     "M",
					     "Z0",
					     "q",
					     "P",
					     "=",
					     "G",
					     "Hg",
					     "ffff",
					     "0",
					     "5",
					     "T",
					     "z0,",
					     "3ff",
					     "\200",
					     "qThreadExtraInfo,",
					     "qXfer:features:read:target.xml:",
					     "ffffffffffffffffffff" };
	const unsigned int count = sizeof(words) / sizeof(words[0]);
	uint64_t seed = 2;

	(void)state;
	for (unsigned int i = 0; i < 100000; i++) {
		char packet[256] = "";

		for (uint64_t n = test_random(&seed) % 8; n; n--)
			strcat(packet, words[test_random(&seed) % count]);
		remote_packet(&remote, packet, strlen(packet));
		assert_true(remote.length <= PACKET_MAX);
		assert_int_equal(strlen(remote.answer), remote.length);
	}
}

static void test_start(void **state)
{
	(void)state;
	assert_non_null(
		strstr(ask("qSupported:swbreak+;xmlRegisters=i386"), "PacketSize=fff;swbreak+"));
	assert_string_equal(ask("vMustReplyEmpty"), "");
	assert_string_equal(ask("qXfer:features:read:target.xml:0,8"), "m<?xml ve");
	assert_string_equal(ask("qXfer:features:read:target.xml:0,fff"),
			    "l<?xml version=\"1.0\"?><target><architecture>i386:x86-64"
			    "</architecture></target>");
	assert_string_equal(ask("?"), "T02thread:5;");
	assert_string_equal(ask("qC"), "QC5");
	assert_string_equal(ask("qfThreadInfo"), "m3,5");
	assert_string_equal(ask("qsThreadInfo"), "l");
	assert_string_equal(ask("qThreadExtraInfo,5"), "73746f70706564"); /* "stopped" */
	assert_string_equal(ask("T3"), "OK");
	assert_string_equal(ask("T4"), "E01");
	assert_string_equal(ask("T400"), "E01");
	assert_string_equal(ask("D"), "OK");
	assert_true(remote.ended);
	assert_int_equal(fake.detached, 1);
}

static void test_registers(void **state)
{
	char packet[512];

	(void)state;
	ask("Hg5");
	strcpy(packet, ask("g"));
	assert_int_equal(strlen(packet), 2 * (17 * 8 + 7 * 4));
	assert_memory_equal(packet,
			    "0000000000000000"
			    "0101010101010101",
			    32);
	assert_memory_equal(packet + 17 * 16,
			    "11111111"
			    "33000000",
			    16);
	memmove(packet + 1, packet, strlen(packet) + 1);
	packet[0] = 'G';
	packet[1 + 16] = '8';
	assert_string_equal(ask(packet), "OK");
	assert_int_equal(fake.value[1], 0x0101010101010181);
	assert_string_equal(ask("G0102"), "E01");
	assert_string_equal(ask("P10=8877665544332211"), "OK");
	assert_int_equal(fake.value[16], 0x1122334455667788);
	assert_string_equal(ask("P11=44020000"), "OK");
	assert_int_equal(fake.value[17], 0x244);
	assert_string_equal(ask("P12=44020000"), "E01");
	assert_string_equal(ask("Hg3"), "OK"); /* it waits in another component */
	assert_memory_equal(ask("g") + 16, "0000000000000000", 16);
	assert_string_equal(ask("P0=0000000000000000"), "E01");
	assert_string_equal(ask("p0"), "");
}

static void test_memory(void **state)
{
	char expected[2 * 200 + 1];

	(void)state;
	for (unsigned int i = 0; i < 200; i++)
		sprintf(expected + 2 * i, "%02x", (unsigned char)((PAGE - 100 + i) * 7));
	assert_string_equal(ask("m1000000f9c,c8"), expected);
	assert_string_equal(ask("m1000000f9d,1"), "4b");
	assert_string_equal(ask("m1000001ffe,8"), "f2f9"); /* the memory ends after two bytes */
	assert_string_equal(ask("mfffffff8,8"), "E01");
	assert_string_equal(ask("m1000000000"), "E01");
	assert_string_equal(ask("m1000000000,0"), "");
	ask("m1000000000,ffffffffffffffff");
	assert_int_equal(remote.length, PACKET_MAX - 1);
	assert_string_equal(ask("M1000000003,2:abCD"), "OK");
	assert_int_equal(fake.memory[3], 0xab);
	assert_int_equal(fake.memory[4], 0xcd);
	assert_string_equal(ask("M1000000003,2:ab"), "E01");
	assert_string_equal(ask("M10,1:ab"), "E01");
	assert_string_equal(ask("X1000000003,0:"), "");
	assert_string_equal(ask("Z0,1000000010,1"), "OK");
	assert_int_equal(fake.breakpoint, 0x1000000010);
	assert_string_equal(ask("z0,1000000011,1"), "E01");
	assert_string_equal(ask("z0,1000000010,1"), "OK");
	assert_string_equal(ask("Z1,1000000010,1"), ""); /* a hardware breakpoint */
}

static void test_resume(void **state)
{
	(void)state;
	assert_string_equal(ask("vCont?"), "vCont;c;C;s;S");
	assert_null(ask("vCont;c"));
	assert_true(remote.running);
	assert_int_equal(fake.thread, 0);
	assert_int_equal(fake.how, TARGET_CONTINUE);
	fake.state = 0;
	assert_false(remote_poll(&remote));
	fake.state = 1, fake.event = 1 + STOPPED, fake.kind = 3;
	assert_true(remote_poll(&remote));
	assert_string_equal(remote.answer, "T05thread:5;swbreak:;");
	assert_false(remote.running);
	assert_null(ask("vCont;s:5;c:-1"));
	assert_int_equal(fake.thread, STOPPED);
	assert_int_equal(fake.how, TARGET_STEP);
	fake.kind = 14;
	assert_true(remote_poll(&remote));
	assert_string_equal(remote.answer, "T0bthread:5;");
	assert_null(ask("vCont;C0b:5;c"));
	assert_int_equal(fake.how, TARGET_CRASH);
	remote.running = false;
	assert_null(ask("vCont;c:5"));
	assert_int_equal(fake.thread, STOPPED);
	assert_int_equal(fake.how, TARGET_CONTINUE);
	remote.running = false;
	fake.went = 0;
	assert_string_equal(ask("vCont;s:3;c"), "E01"); /* it waits in another component */
	assert_string_equal(ask("vCont;x"), "E01");
	assert_string_equal(ask("vCont;c:"), "E01");
	assert_string_equal(ask("vCont;"), "E01");
	assert_string_equal(ask("vCont;s:5;"), "E01");
	assert_int_equal(fake.went, 0);
	assert_false(remote.running);
}

/* A stop that gdb requests is reported when a thread has stopped, or after REMOTE_PATIENCE polls. */
static void test_interrupt(void **state)
{
	(void)state;
	remote_interrupt(&remote);
	assert_int_equal(fake.stops, 0); /* no thread runs */
	assert_null(ask("vCont;c"));
	remote_interrupt(&remote);
	assert_int_equal(fake.stops, 1);
	assert_true(remote_poll(&remote));
	assert_string_equal(remote.answer, "T02thread:5;");
}

static void test_lost(void **state)
{
	(void)state;
	assert_null(ask("vCont;c"));
	fake.state = LIMPET_ENOENT;
	assert_true(remote_poll(&remote));
	assert_string_equal(remote.answer, "W00");
	assert_true(remote.ended);
	assert_int_equal(remote.error, LIMPET_ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_packets, setup),
		cmocka_unit_test_setup(test_long, setup),
		cmocka_unit_test_setup(test_garbage, setup),
		cmocka_unit_test_setup(test_odd_packets, setup),
		cmocka_unit_test_setup(test_start, setup),
		cmocka_unit_test_setup(test_registers, setup),
		cmocka_unit_test_setup(test_memory, setup),
		cmocka_unit_test_setup(test_resume, setup),
		cmocka_unit_test_setup(test_interrupt, setup),
		cmocka_unit_test_setup(test_lost, setup),
	};

	return cmocka_run_group_tests_name("debug", tests, NULL, NULL);
}
