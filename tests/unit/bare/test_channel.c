// SPDX-License-Identifier: GPL-2.0
/* Tests the guest's calls about channels. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <host/bare/system.h>

#include <cmocka.h>

#define FRAME 7
#define FRAMES 3
#define NUMBER 66
#define VECTOR 0x51

static struct fake_processor unused;
struct fake_processor *fake_processor = &unused;
static u8 region[(FRAME + FRAMES) * LIMPET_PAGE];
static struct cpu kernel[2];
static struct bare_cpu cpus[2];
static struct bare_layer layer;
static struct bare_channel guest; /* the guest's memory */
static unsigned int kicks, notices, shown, forgotten;

/* Stubs for other parts of the layer. */
bool memory_read(struct bare_cpu *b, word address, void *to, word size)
{
	assert_ptr_equal(b, &cpus[0]);
	if (address != (word)&guest)
		return false;
	memcpy(to, &guest, size);
	return true;
}

bool memory_write(struct bare_cpu *b, word address, const void *from, word size)
{
	assert_ptr_equal(b, &cpus[0]);
	assert_int_equal(address, (word)&guest);
	memcpy(&guest, from, size);
	return true;
}

void bare_hidden_show(const struct bare_memory *m, word physical)
{
	assert_ptr_equal(m, &layer.physical);
	assert_int_equal(physical,
			 (word)region - layer.virtual_offset + (FRAME + shown++) * LIMPET_PAGE);
}

void bare_translations_forget(struct bare_cpu *b)
{
	assert_ptr_equal(b, &cpus[0]);
	forgotten++;
}

void bare_yield(struct bare_cpu *b)
{
	assert_ptr_equal(b, &cpus[0]);
}

void bare_notify(struct bare_cpu *b)
{
	assert_ptr_equal(b, &cpus[0]);
	notices++;
}

void bare_apic_kick_other(const struct bare_cpu *b, const struct bare_cpu *to)
{
	assert_ptr_equal(b, &cpus[0]);
	kicks += to != b;
}

/* A system with CPUs 0 and 1 runs. CPU 1 has channel NUMBER. */
static int setup(void **state)
{
	(void)state;
	memset(kernel, 0, sizeof(kernel));
	layer = (struct bare_layer){
		.state = LIMPET_STATE_RUNNING,
		.memory = region,
		.virtual_offset = (word)region & ~0xffffful,
		.setup.cpus = 2,
		.count = 2,
		.cpu = { &kernel[0], &kernel[1] },
		.on = { &cpus[0], &cpus[1] },
	};
	for (unsigned int n = 0; n < countof(cpus); n++) {
		cpus[n] = (struct bare_cpu){ .layer = &layer, .number = 10 + n };
		layer.cpus[n] = &cpus[n];
	}
	kernel[1].channel[NUMBER] = (struct channel){ .area = CHANNEL_AREA(FRAME, FRAMES),
						      .stops = 4,
						      .number = NUMBER };
	kernel[1].source[INBOX_CHANNEL + NUMBER].bits = 1ul << 9;
	kicks = notices = shown = forgotten = 0;
	return 0;
}

/* Makes both calls that name a channel, which must return the same error. */
static long error_of(word cpu, word number)
{
	long error = call_notify(&cpus[0], cpu, number);

	if (cpu <= UINT32_MAX && number <= UINT32_MAX) {
		guest = (struct bare_channel){ .cpu = (u32)cpu, .number = (u32)number };
		assert_int_equal(call_channel(&cpus[0], (word)&guest), error);
	}
	assert_int_equal(kicks + shown + forgotten, 0);
	assert_int_equal(kernel[0].inbox.requests | kernel[1].inbox.requests, 0);
	return error;
}

static void test_errors(void **state)
{
	(void)state;
	assert_int_equal(error_of(2, NUMBER), BARE_EINVAL);
	assert_int_equal(error_of(~0ul, NUMBER), BARE_EINVAL);
	assert_int_equal(error_of(1ul << 32 | 1, NUMBER), BARE_EINVAL);
	assert_int_equal(error_of(1, CHANNELS_MAX), BARE_EINVAL);
	assert_int_equal(error_of(1, ~0ul), BARE_EINVAL);
	assert_int_equal(error_of(1, 1ul << 32 | NUMBER), BARE_EINVAL);
	assert_int_equal(error_of(0, NUMBER), BARE_ENOENT);
	assert_int_equal(error_of(1, NUMBER + 1), BARE_ENOENT);
	layer.state = LIMPET_STATE_EMPTY;
	assert_int_equal(error_of(1, NUMBER), BARE_ENODEV);
	assert_int_equal(call_channel(&cpus[0], 0x1000), BARE_EFAULT);
}

static void test_notify(void **state)
{
	(void)state;
	assert_int_equal(call_notify(&cpus[0], 1, NUMBER), 0);
	assert_int_equal(kernel[1].inbox.event[(INBOX_CHANNEL + NUMBER) / 64],
			 1ul << (INBOX_CHANNEL + NUMBER) % 64);
	assert_int_equal(kernel[1].inbox.requests,
			 1ul << (INBOX_WORD + (INBOX_CHANNEL + NUMBER) / 64));
	assert_int_equal(kernel[0].inbox.requests, 0);
	assert_int_equal(kicks, 1);
}

static void test_channel(void **state)
{
	(void)state;
	guest = (struct bare_channel){ .cpu = 1, .number = NUMBER };
	assert_int_equal(call_channel(&cpus[0], (word)&guest), 0);
	assert_int_equal(guest.physical, (word)region - layer.virtual_offset + FRAME * LIMPET_PAGE);
	assert_int_equal(guest.size, FRAMES * LIMPET_PAGE);
	assert_int_equal(guest.bit, 9);
	assert_int_equal(guest.stops, 4);
	assert_int_equal(shown, FRAMES);
	assert_int_equal(forgotten, 1);
}

static void test_vector(void **state)
{
	(void)state;
	assert_int_equal(call_vector(&cpus[0], 9, VECTOR), BARE_EINVAL);
	assert_int_equal(call_vector(&cpus[0], 1ul << 32 | 10, VECTOR), BARE_EINVAL);
	assert_int_equal(call_vector(&cpus[0], 11, BARE_VECTOR_MIN - 1), BARE_EINVAL);
	assert_int_equal(call_vector(&cpus[0], 11, BARE_VECTOR_MAX + 1), BARE_EINVAL);
	assert_int_equal(notices, 0);
	assert_int_equal(call_vector(&cpus[0], 11, VECTOR), 0);
	assert_ptr_equal(layer.notified, &cpus[1]);
	assert_int_equal(layer.vector, VECTOR);
	assert_int_equal(notices, 1);
	assert_int_equal(call_vector(&cpus[0], 0, 0), 0);
	assert_null(layer.notified);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_errors, setup),
		cmocka_unit_test_setup(test_notify, setup),
		cmocka_unit_test_setup(test_channel, setup),
		cmocka_unit_test_setup(test_vector, setup),
	};

	return cmocka_run_group_tests_name("channel", tests, NULL, NULL);
}
