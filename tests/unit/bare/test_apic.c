// SPDX-License-Identifier: GPL-2.0
/*
 * Tests the guest's local APIC on a simulated APIC of the processor. It faults like a real one, so the tests detect
 * an access of the layer to a register that does not exist.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <host/bare/apic.h>

#include <cmocka.h>

#define MSRS 0x100
#define INIT 0x4500u /* with its level asserted */
#define START 0x4600u
#define LOGICALLY 0x800u
#define NMI 0x400u
#define TO_SELF (1u << 18)
#define TO_ALL (2u << 18)
#define TO_OTHERS (3u << 18)
#define MILLION 1000000ull

static struct fake_processor clock_only;
struct fake_processor *fake_processor = &clock_only;
static struct bare_layer layer;
static struct bare_cpu cpu;
static struct vmcb vmcb;

/* The layer uses only these parts of the machine. */
static unsigned int devices_came;

struct bare_io_apic *bare_io_apic_at(struct bare_layer *of, word physical)
{
	(void)of;
	(void)physical;
	return NULL;
}

bool bare_resources_hide(const struct bare_layer *of, u32 kind, word first, word count)
{
	(void)of;
	(void)kind;
	(void)first;
	(void)count;
	return false;
}

void bare_resources_came(struct bare_cpu *b)
{
	assert_ptr_equal(b, &cpu);
	devices_came++;
}

/* The simulated APIC of the processor. */
bool apic_x2;
static u32 registers[MSRS], sent_to, sent, more;
static u32 sent_to_all; /* bitmap by the lowest five bits of the APIC ID */
static u32 errors_stay; /* which QEMU's APIC does not clear */
static unsigned int sendings, inits, starts, ends;
static u64 processor_deadline;

static bool exists(word offset)
{
	return offset < MORE ? offset != 0 && (!apic_x2 ||
					       (offset != LOGICAL_FORMAT && offset != COMMAND_HIGH))
			     : more && offset < LVT_MORE + more * 16;
}

void apic_mode_find(void)
{
}

u32 apic_read(word offset)
{
	assert_true(exists(offset) && offset != END && offset != SELF);
	return registers[offset / 16];
}

void apic_write(word offset, u32 value)
{
	assert_true(exists(offset));
	if (apic_x2)
		assert_true(offset != ID && offset != LOGICAL_ID && offset != CURRENT &&
			    !(offset == ERRORS && value));
	ends += offset == END;
	registers[offset / 16] = value | (offset == ERRORS ? errors_stay : 0);
}

void apic_command(u32 to, u32 value)
{
	assert_int_equal(value & 0xfff33000, 0);
	sendings++;
	sent_to = to;
	sent = value;
	sent_to_all |= 1u << to % 32;
}

u32 apic_id_of(u32 value)
{
	return apic_x2 ? value : value >> 24;
}

unsigned int apic_more(void)
{
	return more;
}

u64 apic_deadline_read(void)
{
	return processor_deadline;
}

void apic_deadline_write(u64 deadline)
{
	assert_true(registers[TIMER / 16] & DEADLINE);
	processor_deadline = deadline;
}

/* Stubs for other parts of the layer. */
void bare_init(struct bare_cpu *b, u32 apic_id)
{
	assert_ptr_equal(b, &cpu);
	inits++;
	sent_to = apic_id;
}

void bare_start(struct bare_cpu *b, u32 apic_id, unsigned int page)
{
	assert_ptr_equal(b, &cpu);
	starts++;
	sent_to = apic_id;
	sent = page;
}

void bare_yield(struct bare_cpu *b)
{
	(void)b;
}

bool bare_death(struct bare_cpu *b, enum limpet_death cause)
{
	(void)b;
	(void)cause;
	return false;
}

/* Sets Linux's state at attach, with a timer of `timer`. One tick is two time stamp ticks. */
static void begin(bool x2, u32 timer)
{
	apic_x2 = x2;
	memset(registers, 0, sizeof(registers));
	registers[ID / 16] = x2 ? 0x12345 : 5u << 24;
	registers[VERSION / 16] = 0x50014 | (more ? VERSION_MORE : 0);
	registers[SPURIOUS / 16] = 0x1ff;
	registers[TIMER / 16] = timer;
	registers[DIVIDE / 16] = 0xb;
	clock_only.time = MILLION;
	layer = (struct bare_layer){ .ticks_shift32 = 2ull << 32,
				     .counts_shift32 = 1ull << 31,
				     .silent_at = BARE_NEVER };
	cpu = (struct bare_cpu){
		.layer = &layer, .vm.vmcb = &vmcb, .due = BARE_NEVER, .limit = BARE_NEVER
	};
	sendings = inits = starts = ends = 0;
	bare_apic_begin(&cpu);
}

static bool reads(u32 msr)
{
	u64 value;

	return bare_apic_msr_read(&cpu, msr, &value);
}

static u64 msr_read(u32 msr)
{
	u64 value;

	assert_true(bare_apic_msr_read(&cpu, msr, &value));
	return value;
}

static bool writes(u32 msr, u64 value)
{
	return bare_apic_msr_write(&cpu, msr, value);
}

static bool requested(unsigned int vector)
{
	return cpu.apic.requested[vector / 32] >> vector % 32 & 1;
}

static bool in(const u32 *list, unsigned int count, u32 msr)
{
	for (unsigned int i = 0; i < count; i++)
		if (list[i] == msr)
			return true;
	return false;
}

/* APM vol. 2 chapter 16: 'r', 'w', 'b' (both) or '-' for each register from 0x800 on. */
static const char map[] = "--rr----b-rw-r-brrrrrrrrrrrrrrrrrrrrrrrrb-------b-bbbbbbbr----bw";
static const u32 map_more[] = { 0x840, 0x841, 0x850, 0x851, 0x852, 0x853 };

static void check_registers(void)
{
	for (u32 msr = 0x7ff; msr <= 0x900; msr++) {
		u32 i = msr - 0x800;
		char kind = i < sizeof(map) - 1 ? map[i] : '-';

		if (more && in(map_more, countof(map_more), msr))
			kind = msr < 0x850 ? 'r' : 'b';
		assert_int_equal(reads(msr), kind == 'r' || kind == 'b');
		assert_int_equal(writes(msr, 0), kind == 'w' || kind == 'b');
	}
}

static void test_registers(void **state)
{
	(void)state;
	assert_int_equal(sizeof(map) - 1, 0x40);
	for (more = 0; more <= 4; more += 4) {
		begin(true, MASKED);
		assert_int_equal(cpu.apic_id, 0x12345);
		assert_int_equal(msr_read(0x802), 0x12345);
		check_registers();
	}
	more = 0;
	begin(false, MASKED);
	assert_int_equal(cpu.apic_id, 5);
	for (u32 msr = 0x800; msr <= 0x8ff; msr++) {
		assert_false(reads(msr));
		assert_false(writes(msr, 0));
	}
}

/* The processor accepts a vector. */
static void arrive(unsigned int vector)
{
	cpu.arrived[vector / 64] |= 1ul << vector % 64;
	bare_arrived(&cpu);
	assert_int_equal(cpu.arrived[vector / 64], 0);
}

/*
 * Interrupts of components' devices end like the layer's other vectors, and do not belong to the
 * guest.
 */
static void test_device(void **state)
{
	(void)state;
	begin(false, MASKED);
	devices_came = 0;
	arrive(BARE_VECTOR_DEVICE);
	assert_int_equal(devices_came, 1);
	for (unsigned int i = 0; i < BARE_APIC_WORDS; i++)
		assert_int_equal(cpu.apic.requested[i], 0);
	for (unsigned int i = 0; i < BARE_APIC_WORDS; i++)
		assert_int_equal(cpu.apic.owed[i], 0);
	assert_int_equal(ends, 1);
}

static void in_service(unsigned int vector, bool level)
{
	registers[(SERVICE + vector / 32 * 16) / 16] |= 1u << vector % 32;
	registers[(TRIGGER + vector / 32 * 16) / 16] |= (u32)level << vector % 32;
}

/*
 * An edge interrupt ends immediately, but not while a level interrupt of a higher priority is in service: then it ends
 * after that one. In between nothing new arrives, and no end is written.
 */
static void test_ends(void **state)
{
	(void)state;
	begin(false, MASKED);
	bare_arrived(&cpu);
	assert_int_equal(ends, 0);
	in_service(0x41, false);
	arrive(0x41);
	assert_true(requested(0x41));
	assert_int_equal(ends, 1);
	in_service(0x82, true);
	in_service(0x61, false);
	arrive(0x82);
	arrive(0x61);
	bare_arrived(&cpu);
	assert_int_equal(ends, 1);
	cpu.apic.service[0x82 / 32] = 1u << 0x82 % 32;
	apic_virtual_write(&cpu, END, 0);
	assert_int_equal(ends, 3);
	bare_arrived(&cpu);
	assert_int_equal(ends, 3);
}

static void serves(unsigned int vector)
{
	cpu.apic.service[vector / 32] |= 1u << vector % 32;
}

/*
 * A level interrupt arrives while the guest handles one of a lower priority with interrupts off. The end of the lower one
 * would end the higher one in the processor, so it is written after the higher one's. At the guest's departure both end.
 */
static void test_level_ends(void **state)
{
	(void)state;
	for (unsigned int leaves = 0; leaves < 2; leaves++) {
		begin(false, MASKED);
		in_service(0x41, true);
		arrive(0x41);
		serves(0x41);
		in_service(0x61, true);
		arrive(0x61);
		apic_virtual_write(&cpu, END, 0);
		assert_int_equal(ends, 0);
		serves(0x61);
		if (leaves)
			bare_apic_end(&cpu);
		else
			apic_virtual_write(&cpu, END, 0);
		assert_int_equal(ends, 2);
	}
}

/* Makes the guest take the vector that it must get next. Returns that vector, or 0. */
static unsigned int take(void)
{
	bare_apic_offer(&cpu);
	vmcb.virtual_interrupt = 0;
	bare_apic_taken(&cpu);
	return cpu.apic.vector;
}

/*
 * The guest gets a vector that is not in service in the processor, such as a spurious interrupt. It does not end it, and
 * gets others. At its departure the vector is not sent again.
 */
static void test_without_end(void **state)
{
	(void)state;
	begin(false, MASKED);
	arrive(0xff);
	assert_int_equal(ends, 0);
	assert_int_equal(take(), 0xff);
	in_service(0x31, false);
	arrive(0x31);
	assert_int_equal(ends, 1);
	assert_int_equal(take(), 0x31);
	apic_virtual_write(&cpu, END, 0);
	arrive(0xff);
	sendings = 0;
	bare_apic_end(&cpu);
	assert_int_equal(sendings, 0);
}

/* A reserved bit is refused, and nothing has changed. */
static void test_reserved(void **state)
{
	static const struct {
		u32 msr;
		u64 bits;
	} possible[] = {
		{ 0x808, 0xff },
		{ 0x80b, 0 },
		{ 0x80f, 0x3ff },
		{ 0x828, 0 },
		{ 0x830, ~0xfff32000ull },
		{ 0x832, 0x710ff },
		{ 0x833, 0x117ff },
		{ 0x834, 0x117ff },
		{ 0x835, 0x1f7ff },
		{ 0x836, 0x1f7ff },
		{ 0x837, 0x117ff },
		{ 0x838, 0xffffffff },
		{ 0x83e, 0xb },
		{ 0x83f, 0xff },
	};

	(void)state;
	begin(true, MASKED);
	for (unsigned int i = 0; i < countof(possible); i++)
		for (unsigned int bit = 0; bit < 64; bit++) {
			u64 value = 1ull << bit;
			struct bare_apic before = cpu.apic;

			assert_int_equal(writes(possible[i].msr, value),
					 (possible[i].bits & value) != 0);
			if (!(possible[i].bits & value))
				assert_memory_equal(&before, &cpu.apic, sizeof(before));
		}
}

static void test_commands(void **state)
{
	(void)state;
	begin(true, MASKED);
	assert_true(writes(0x830, 0x0001000200000000 | LOGICALLY | 0x41));
	assert_int_equal(sendings, 1);
	assert_int_equal(sent_to, 0x00010002);
	assert_int_equal(sent, LOGICALLY | 0x41);
	assert_int_equal(msr_read(0x830) >> 32, 0x00010002);
	assert_true(writes(0x830, 0xffffffff00000000 | LOGICALLY | NMI));
	assert_int_equal(sendings, 2);
	assert_true(writes(0x830, 0x1234500000000 | 0x1f));  /* a vector of exceptions */
	assert_true(writes(0x830, 0x1234500000000 | 0x241)); /* SMI */
	for (u32 vector = BARE_VECTOR_TIMER; vector <= BARE_VECTOR_DEVICE; vector++)
		assert_true(writes(0x830, 0x1234500000000 | vector));
	assert_int_equal(sendings, 2);
	assert_true(writes(0x830, 0x0001234600000000 | INIT));
	assert_true(inits == 1 && sent_to == 0x12346 && sendings == 2);
	assert_true(writes(0x830, 0x0001234700000000 | START | 0x9a));
	assert_true(starts == 1 && sent_to == 0x12347 && sent == 0x9a && sendings == 2);
	assert_true(writes(0x830, 0x0001234700000000 | START | LOGICALLY));
	assert_int_equal(starts, 1);
	assert_true(writes(0x83f, 15));
	assert_false(requested(15));
	assert_true(writes(0x83f, 0x77));
	assert_true(requested(0x77));
	assert_int_equal(sendings, 2);
	begin(false, MASKED);
	apic_virtual_write(&cpu, COMMAND_HIGH, 0x07000000);
	apic_virtual_write(&cpu, COMMAND,
			   0x5051); /* values that only the processor sets are not passed on */
	assert_true(sendings == 1 && sent_to == 7 && sent == 0x4051);
	apic_virtual_write(&cpu, COMMAND, INIT);
	assert_true(inits == 1 && sent_to == 7 && sendings == 1);
}

/* Sends an NMI from `cpu`. Returns the CPUs that get it, as a bitmap by APIC ID. */
static u32 nmi_to(u32 to, u32 command)
{
	sent_to_all = 0;
	if (apic_x2) {
		assert_true(writes(0x830, (u64)to << 32 | command | NMI));
	} else {
		apic_virtual_write(&cpu, COMMAND_HIGH, to << 24);
		apic_virtual_write(&cpu, COMMAND, command | NMI);
	}
	assert_true(!sent_to_all || (sent & 0x7ff) == NMI);
	return sent_to_all;
}

/* An NMI is sent only to CPUs that are in the layer. */
static void test_nmis(void **state)
{
	static struct bare_cpu others[2];

	(void)state;
	for (unsigned int x2 = 0; x2 < 2; x2++) {
		begin(x2, MASKED); /* ID 5 */
		others[0] = (struct bare_cpu){ .apic_id = 7 };
		others[1] = (struct bare_cpu){ .apic_id = 9, .released = true };
		layer.count = 3;
		layer.cpus[0] = &others[0];
		layer.cpus[1] = &cpu;
		layer.cpus[2] = &others[1];
		assert_int_equal(nmi_to(7, 0), 1 << 7);
		assert_int_equal(nmi_to(cpu.apic_id, 0), 1 << 5);
		assert_int_equal(nmi_to(8, 0), 0);
		assert_int_equal(nmi_to(9, 0), 0);
		assert_int_equal(nmi_to(x2 ? ~0u : 0xff, 0), 1 << 5 | 1 << 7);
		assert_int_equal(nmi_to(8, TO_SELF), 1 << 5);
		assert_int_equal(nmi_to(8, TO_ALL), 1 << 5 | 1 << 7);
		assert_int_equal(nmi_to(8, TO_OTHERS), 1 << 7);
		assert_int_equal(nmi_to(3, LOGICALLY), 1 << 3);
	}
}

/* Interrupts that could repeat without end, or fault in the layer, do not reach the processor. */
static void test_local(void **state)
{
	(void)state;
	begin(true, MASKED);
	assert_true(writes(0x835, 0x8051));
	assert_int_equal(registers[LVT_PIN_0 / 16], 0x8051);
	assert_true(writes(0x835, 0x8000 | BARE_VECTOR_DEVICE));
	assert_int_equal(registers[LVT_PIN_0 / 16], 0x8000 | BARE_VECTOR_DEVICE | MASKED);
	assert_true(writes(0x835, 0xf051));
	assert_int_equal(registers[LVT_PIN_0 / 16], 0x8051);
	assert_true(writes(0x837, 0x1051));
	assert_int_equal(registers[LVT_ERROR / 16], 0x51);
}

/* Returns the ticks that the processor's timer is set to. */
static u32 programmed(void)
{
	return registers[INITIAL / 16];
}

static void expire(u64 at)
{
	clock_only.time = at;
	bare_apic_timer_came(&cpu);
}

static void test_deadline(void **state)
{
	(void)state;
	begin(false, MASKED);
	assert_true(writes(0x6e0, 2 * MILLION)); /* no effect in another mode */
	assert_int_equal(msr_read(0x6e0), 0);
	assert_int_equal(programmed(), 0);
	apic_virtual_write(&cpu, TIMER, DEADLINE | 0xec);
	assert_true(writes(0x6e0, 2 * MILLION));
	assert_int_equal(msr_read(0x6e0), 2 * MILLION);
	assert_int_equal(programmed(), MILLION / 2);
	assert_int_equal(apic_virtual_read(&cpu, CURRENT), 0);
	apic_virtual_write(&cpu, INITIAL, 77);
	assert_int_equal(programmed(), MILLION / 2);
	expire(2 * MILLION - 1);
	assert_false(requested(0xec));
	assert_int_equal(programmed(), 1);
	expire(2 * MILLION);
	assert_true(requested(0xec));
	assert_int_equal(msr_read(0x6e0), 0);
	assert_int_equal(programmed(), 0);
	assert_true(writes(0x6e0, 5)); /* long ago: fires immediately */
	assert_int_equal(programmed(), 1);
	assert_true(writes(0x6e0, 0));
	assert_int_equal(programmed(), 0);
	assert_true(writes(0x6e0, ~1ull)); /* too far for the counter, so in several parts */
	assert_int_equal(programmed(), 0xffffffff);
	apic_virtual_write(&cpu, TIMER, MASKED | 0xec);
	assert_int_equal(msr_read(0x6e0), 0);
	assert_int_equal(programmed(), 0);
	apic_virtual_write(&cpu, INITIAL, 77);
	assert_int_equal(programmed(), 77);
}

static void test_periodic(void **state)
{
	(void)state;
	begin(false, PERIODIC | 0xec);
	layer.ticks_per_ms = 10000;
	apic_virtual_write(&cpu, INITIAL, 5000);
	expire(MILLION + 10000);
	assert_true(requested(0xec));
	assert_int_equal(programmed(), 5000);
	apic_virtual_write(&cpu, INITIAL, 1); /* the minimum is a tenth of a millisecond */
	expire(MILLION + 10002);
	assert_int_equal(programmed(), 500);
}

static void test_deadline_masked(void **state)
{
	(void)state;
	begin(true, MASKED);
	assert_true(writes(0x832, MASKED | DEADLINE | 0xec));
	assert_true(writes(0x6e0, 2 * MILLION));
	expire(2 * MILLION);
	assert_false(requested(0xec));
	assert_int_equal(msr_read(0x6e0), 0);
}

/* Attach takes the timer from the processor, and detach returns it, in each mode. */
static void test_timer_taken(void **state)
{
	(void)state;
	processor_deadline = 3 * MILLION;
	begin(true, DEADLINE | 0xec);
	assert_int_equal(registers[TIMER / 16], BARE_VECTOR_TIMER);
	assert_int_equal(msr_read(0x6e0), 3 * MILLION);
	assert_int_equal(programmed(), MILLION);
	processor_deadline = 0;
	bare_apic_quiet(&cpu);
	bare_apic_end(&cpu);
	assert_int_equal(registers[TIMER / 16], DEADLINE | 0xec);
	assert_int_equal(processor_deadline, 3 * MILLION);
	processor_deadline = 0; /* it has expired, or was never set */
	begin(true, DEADLINE | 0xec);
	assert_int_equal(msr_read(0x6e0), 0);
	assert_int_equal(programmed(), 0);
	processor_deadline = 1;
	bare_apic_end(&cpu);
	assert_int_equal(processor_deadline, 0);
	begin(true, 0xec);
	assert_true(writes(0x838, 1000));
	clock_only.time += 500;
	bare_apic_end(&cpu);
	assert_int_equal(registers[TIMER / 16], 0xec);
	assert_int_equal(programmed(), 750);
}

static void test_reset(void **state)
{
	(void)state;
	for (more = 0; more <= 4; more += 2) {
		begin(true, DEADLINE | 0xec);
		assert_true(writes(0x6e0, 2 * MILLION));
		bare_apic_reset(&cpu);
		assert_int_equal(programmed(), 0);
		assert_int_equal(msr_read(0x832), MASKED);
		for (unsigned int i = 0; i < more; i++)
			assert_int_equal(registers[(LVT_MORE / 16) + i], MASKED);
	}
	more = 0;
}

/* Earlier errors of the guest are not reported for this access. */
static void test_errors(void **state)
{
	(void)state;
	begin(true, 0xec);
	registers[ERRORS / 16] = errors_stay = 0x80;
	assert_int_equal(msr_read(0x828), 0x80);
	bare_apic_reset(&cpu);
	assert_int_equal(msr_read(0x828), 0);
	registers[ERRORS / 16] = 0xc0;
	assert_int_equal(msr_read(0x828), 0x40);
	errors_stay = 0;
	bare_apic_reset(&cpu);
	registers[ERRORS / 16] = 0x80;
	assert_int_equal(msr_read(0x828), 0x80);
}

/*
 * A device's message with a vector of exceptions is never delivered, for each priority of the
 * guest.
 */
static void test_priority(void **state)
{
	(void)state;
	begin(false, 0xec);
	apic_virtual_write(&cpu, PRIORITY, 0x20);
	assert_int_equal(registers[PRIORITY / 16], 0x10);
	registers[PRIORITY / 16] = 0x55;
	vmcb.virtual_interrupt = 0;
	cpu.apic.offered = true;
	cpu.apic.vector = 0x30;
	bare_apic_taken(&cpu);
	assert_int_equal(registers[PRIORITY / 16], 0x10);
	bare_apic_end(&cpu);
	assert_int_equal(registers[PRIORITY / 16], 0x20);
}

static void test_features(void **state)
{
	(void)state;
	apic_x2 = true;
	assert_int_equal(bare_apic_features(&cpu, 1u << 21), 1u << 21);
	layer.again.restarts = 1;
	assert_int_equal(bare_apic_features(&cpu, 1u << 21), 1u << 21 | 1u << 24);
	apic_x2 = false;
	assert_int_equal(bare_apic_features(&cpu, ~0u), ~(1u << 21));
	layer.again.restarts = 0;
	assert_int_equal(bare_apic_features(&cpu, ~0u), ~(1u << 21));
	assert_int_equal(bare_apic_features(&cpu, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_registers),   cmocka_unit_test(test_reserved),
		cmocka_unit_test(test_commands),    cmocka_unit_test(test_nmis),
		cmocka_unit_test(test_deadline),    cmocka_unit_test(test_deadline_masked),
		cmocka_unit_test(test_timer_taken), cmocka_unit_test(test_reset),
		cmocka_unit_test(test_features),    cmocka_unit_test(test_device),
		cmocka_unit_test(test_ends),	    cmocka_unit_test(test_local),
		cmocka_unit_test(test_periodic),    cmocka_unit_test(test_priority),
		cmocka_unit_test(test_errors),	    cmocka_unit_test(test_level_ends),
		cmocka_unit_test(test_without_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
