// SPDX-License-Identifier: BSD-2-Clause
/* Registers: ETG.1000.4 clause 6. EEPROM: ETG.1000.6 clause 5.4. States: ETG.1000.6 clause 6.4. */
#include <runtime/memory.h>
#include <runtime/time.h>

#include "ethercat.h"

#define AL_CONTROL 0x120 /* requested state */
#define AL_STATE 0x0f
#define AL_ERROR 0x10 /* status: there is a code; control: acknowledges it */
#define STATE_MS 5000 /* time limit for a change of the state */

#define EEPROM_CONFIG 0x500
#define EEPROM_CONTROL 0x502 /* register of the control word, which the address follows */
#define EEPROM_DATA 0x508
#define EEPROM_READ 0x0100
#define EEPROM_BUSY 0x8000
#define EEPROM_FAILED 0x7800
#define EEPROM_MS 500
#define WORD_VENDOR 0x08 /* words of the EEPROM */
#define WORD_PRODUCT 0x0a
#define WORD_MAILBOX_OUT 0x18 /* start and length of the mailbox to the slave */
#define WORD_MAILBOX_IN 0x1a

#define FMMU 0x600 /* 16 entries of 16 bytes */
#define FMMU_END 0x700
#define MANAGER 0x800 /* 16 entries of 8 bytes */
#define MANAGER_END 0x880
#define MANAGER_MAILBOX_OUT 0x26 /* control bytes: direction, buffering, interrupts */
#define MANAGER_MAILBOX_IN 0x22
#define MANAGER_OUT 0x64 /* outputs with watchdog */
#define MANAGER_IN 0x20
#define FMMU_READ 1
#define FMMU_WRITE 2

struct manager {
	uint16_t address, length;
	uint8_t control, status, active, pdi;
};

struct fmmu {
	uint32_t logical;
	uint16_t length;
	uint8_t first_bit, last_bit;
	uint16_t address;
	uint8_t address_bit, type;
	uint8_t active, reserved[3];
};

_Static_assert(sizeof(struct manager) == 8 && sizeof(struct fmmu) == 16, "as in the registers");

/* --- registers */

static long register_done(long counter)
{
	return counter < 0 ? counter : counter == 1 ? LIMPET_OK : LIMPET_EPEER;
}

static long register_write(const struct slave *slave, uint16_t offset, const void *data,
			   uint16_t length)
{
	struct datagram datagram = { COMMAND_FPWR, slave->station, offset, length, { 0 }, 0 };

	memcpy(datagram.data, data, length);
	return register_done(line_transact(&datagram));
}

static long register_read(const struct slave *slave, uint16_t offset, void *data, uint16_t length)
{
	struct datagram datagram = { COMMAND_FPRD, slave->station, offset, length, { 0 }, 0 };
	long status = register_done(line_transact(&datagram));

	memcpy(data, datagram.data, length);
	return status;
}

static uint64_t after_ms(uint64_t ms)
{
	return limpet_time() + limpet_us_to_ticks(ms * 1000);
}

static long registers_clear(const struct slave *slave, uint32_t from, uint32_t to)
{
	static const uint8_t zeros[DATAGRAM_MAX];
	long status = LIMPET_OK;

	for (; from < to && !status; from += DATAGRAM_MAX)
		status = register_write(slave, (uint16_t)from, zeros, DATAGRAM_MAX);
	return status;
}

/* --- EEPROM */

/* Takes the EEPROM from the slave's application. */
static long eeprom_own(const struct slave *slave)
{
	long status = register_write(slave, EEPROM_CONFIG, &(uint8_t){ 2 }, 1);

	return status ? status : register_write(slave, EEPROM_CONFIG, &(uint8_t){ 0 }, 1);
}

/* Reads two words of the EEPROM. */
static long eeprom_read(const struct slave *slave, uint32_t address, uint32_t *value)
{
	const uint16_t command[3] = { EEPROM_READ, (uint16_t)address, (uint16_t)(address >> 16) };
	uint64_t deadline = after_ms(EEPROM_MS);
	uint16_t control = EEPROM_BUSY;
	long status = register_write(slave, EEPROM_CONTROL, command, sizeof(command));

	while (!status && control & EEPROM_BUSY)
		status = limpet_time() > deadline
				 ? LIMPET_ETIME
				 : register_read(slave, EEPROM_CONTROL, &control, sizeof(control));
	if (!status && control & EEPROM_FAILED)
		status = LIMPET_EPEER;
	return status ? status : register_read(slave, EEPROM_DATA, value, sizeof(*value));
}

static long identity_check(struct slave *slave)
{
	long status = eeprom_own(slave);

	if (!status)
		status = eeprom_read(slave, WORD_VENDOR, &slave->found_vendor);
	if (!status)
		status = eeprom_read(slave, WORD_PRODUCT, &slave->found_product);
	if (!status &&
	    (slave->found_vendor != slave->vendor || slave->found_product != slave->product))
		status = LIMPET_ETYPE;
	return status;
}

/* --- sync managers and FMMUs */

static long manager_write(const struct slave *slave, unsigned int number, uint16_t address,
			  uint16_t length, uint8_t control)
{
	const struct manager manager = { address, length, control, 0, length != 0, 0 };

	return register_write(slave, (uint16_t)(MANAGER + number * sizeof(manager)), &manager,
			      sizeof(manager));
}

/*
 * Sets up a mailbox as the EEPROM says. A slave with a mailbox needs it for PRE-OP, although the master does not use
 * it.
 */
static long mailbox_setup(const struct slave *slave, unsigned int number, uint32_t word,
			  uint8_t control)
{
	uint32_t place;
	long status = eeprom_read(slave, word, &place);

	if (status || !(place >> 16))
		return status;
	return manager_write(slave, number, (uint16_t)place, (uint16_t)(place >> 16), control);
}

/* Maps process data: FMMU `number` translates their place in the frame into the sync manager's memory. */
static long process_data_setup(const struct slave *slave, const struct process_data *data,
			       unsigned int number, uint8_t control, uint8_t type)
{
	const struct fmmu fmmu = { .logical = data->part.at,
				   .length = (uint16_t)data->part.bytes,
				   .last_bit = 7,
				   .address = data->address,
				   .type = type,
				   .active = 1 };
	long status;

	if (!data->part.bytes)
		return LIMPET_OK;
	status = manager_write(slave, data->manager, data->address, (uint16_t)data->part.bytes,
			       control);
	return status ? status
		      : register_write(slave, (uint16_t)(FMMU + number * sizeof(fmmu)), &fmmu,
				       sizeof(fmmu));
}

/* --- states */

long slave_look(struct slave *slave)
{
	uint16_t al[3] = { 0 };
	long status = register_read(slave, AL_STATUS, al, sizeof(al));

	if (status == LIMPET_EPEER)
		slave->state = AL_ABSENT;
	if (status)
		return status;
	slave->state = al[0] & AL_STATE;
	if (al[0] & AL_ERROR)
		slave->code = al[2];
	return al[0] & AL_ERROR ? LIMPET_ESTATE : LIMPET_OK;
}

static long state_write(const struct slave *slave, uint16_t control)
{
	return register_write(slave, AL_CONTROL, &control, sizeof(control));
}

/*
 * Requests a state and waits until the slave has it. With AL_ERROR, an error that it reports meanwhile is an earlier
 * one.
 */
static long state_reach(struct slave *slave, enum al_state state, uint16_t acknowledge)
{
	uint64_t deadline = after_ms(STATE_MS);
	long status = state_write(slave, (uint16_t)(state | acknowledge));

	while (!status) {
		status = slave_look(slave);
		if (!status && slave->state == state)
			return LIMPET_OK;
		if (status == LIMPET_ESTATE && acknowledge)
			status = LIMPET_OK;
		if (!status && limpet_time() >= deadline)
			status = LIMPET_ETIME;
	}
	return status;
}

static long mailboxes_setup(const struct slave *slave)
{
	long status = mailbox_setup(slave, 0, WORD_MAILBOX_OUT, MANAGER_MAILBOX_OUT);

	return status ? status : mailbox_setup(slave, 1, WORD_MAILBOX_IN, MANAGER_MAILBOX_IN);
}

static long pre_op_reach(struct slave *slave)
{
	long status = state_reach(slave, AL_INIT, AL_ERROR);

	if (!status)
		status = registers_clear(slave, FMMU, FMMU_END);
	if (!status)
		status = registers_clear(slave, MANAGER, MANAGER_END);
	if (!status)
		status = identity_check(slave);
	if (!status)
		status = mailboxes_setup(slave);
	return status ? status : state_reach(slave, AL_PRE_OP, 0);
}

long slave_start(struct slave *slave)
{
	long status = pre_op_reach(slave);

	if (!status)
		status = process_data_setup(slave, &slave->output, 0, MANAGER_OUT, FMMU_WRITE);
	if (!status)
		status = process_data_setup(slave, &slave->input, 1, MANAGER_IN, FMMU_READ);
	line.exchanging = true; /* a slave needs outputs for OP */
	if (!status)
		status = state_reach(slave, AL_SAFE_OP, 0);
	if (!status)
		status = state_reach(slave, AL_OP, 0);
	return status;
}
