/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Simulated EtherCAT slaves on one line: registers, EEPROM, states with their checks, sync managers and FMMUs, as
 * ETG.1000 describes them. They are written from the specification and share no code with the master.
 */
#ifndef TEST_ETHERCAT_SLAVES_H
#define TEST_ETHERCAT_SLAVES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define SIM_SLAVES 3
#define SIM_MEMORY 0x2000
#define SIM_HEADERS 16 /* bytes of the Ethernet and EtherCAT headers */
#define SIM_SII 256    /* bytes of the EEPROM */

/* Configuration of process data that the slave expects. */
struct sim_data {
	unsigned int manager;
	uint16_t address, bytes; /* 0 bytes: unused */
};

struct sim_slave {
	uint8_t memory[SIM_MEMORY];
	uint32_t vendor, product;
	uint32_t mailbox[2]; /* words 0x18, 0x1a of the EEPROM (start, length), or 0 without one */
	struct sim_data output, input;
	bool absent;	      /* disconnected from the line */
	unsigned int busy;    /* reads of the EEPROM's status until it has the data */
	unsigned int delay;   /* reads of the AL status until the requested state is handled */
	bool wants_op;	      /* waits for outputs before it enters OP */
	uint8_t ticks;	      /* changes the inputs of a slave without outputs */
	uint8_t sii[SIM_SII]; /* contents of the EEPROM */
};

static uint16_t sim_get16(const uint8_t *at)
{
	return (uint16_t)(at[0] | at[1] << 8);
}

static uint32_t sim_get32(const uint8_t *at)
{
	return sim_get16(at) | (uint32_t)sim_get16(at + 2) << 16;
}

static void sim_put16(uint8_t *at, uint32_t value)
{
	at[0] = (uint8_t)value;
	at[1] = (uint8_t)(value >> 8);
}

static void sim_put32(uint8_t *at, uint32_t value)
{
	sim_put16(at, value);
	sim_put16(at + 2, value >> 16);
}

/* --- EEPROM: the slave information of ETG.1000.6, for masters that read the process data's configuration from it */

/* Starts a category. Returns the place of its first byte. */
static uint8_t *sim_category(uint8_t *at, uint16_t type, uint32_t bytes)
{
	sim_put16(at, type);
	sim_put16(at + 2, bytes / 2);
	return at + 4;
}

/* Writes a sync manager's entry of category 41. Returns the place behind it. */
static uint8_t *sim_sii_manager(uint8_t *at, uint16_t address, uint32_t bytes, uint8_t control,
				uint8_t type)
{
	sim_put16(at, address);
	sim_put16(at + 2, bytes);
	at[4] = control;
	at[6] = bytes != 0;
	at[7] = bytes ? type : 0;
	return at + 8;
}

/* Writes a PDO with an entry of 8 bits for each byte. Returns the place behind it. */
static uint8_t *sim_sii_pdo(uint8_t *at, uint16_t category, uint16_t pdo, uint16_t object,
			    const struct sim_data *data)
{
	if (!data->bytes)
		return at;
	at = sim_category(at, category, 8 + 8u * data->bytes);
	sim_put16(at, pdo);
	at[2] = (uint8_t)data->bytes;
	at[3] = (uint8_t)data->manager;
	at += 8;
	for (uint32_t i = 0; i < data->bytes; i++, at += 8) {
		sim_put16(at, object);
		at[2] = (uint8_t)(i + 1);
		at[4] = 5; /* type UNSIGNED8 */
		at[5] = 8; /* bits */
	}
	return at;
}

static uint8_t *sim_sii_managers(uint8_t *at, const struct sim_slave *s)
{
	uint32_t in = s->mailbox[0], out = s->mailbox[1];

	if (!in) {
		at = sim_category(at, 41, 8);
		return sim_sii_manager(at, s->input.address, s->input.bytes, 0x20, 4);
	}
	at = sim_category(at, 41, 32);
	at = sim_sii_manager(at, (uint16_t)in, in >> 16, 0x26, 1);
	at = sim_sii_manager(at, (uint16_t)out, out >> 16, 0x22, 2);
	at = sim_sii_manager(at, s->output.address, s->output.bytes, 0x64, 3);
	return sim_sii_manager(at, s->input.address, s->input.bytes, 0x20, 4);
}

/* Writes the EEPROM of a slave. A slave without a mailbox has at most inputs, and their sync manager is 0. */
static void sim_sii_make(struct sim_slave *s)
{
	uint8_t *at = s->sii + 2 * 0x40;

	memset(s->sii, 0, sizeof(s->sii));
	sim_put32(s->sii + 2 * 0x08, s->vendor);
	sim_put32(s->sii + 2 * 0x0a, s->product);
	sim_put32(s->sii + 2 * 0x18, s->mailbox[0]);
	sim_put32(s->sii + 2 * 0x1a, s->mailbox[1]);
	if (s->input.bytes) {
		at = sim_sii_managers(at, s);
		at = sim_sii_pdo(at, 50, 0x1a00, 0x6000, &s->input);
		at = sim_sii_pdo(at, 51, 0x1600, 0x7000, &s->output);
	}
	sim_put16(at, 0xffff); /* the end of the categories */
}

/* Switches a slave on: all registers have their first values. */
static void sim_power(struct sim_slave *s)
{
	sim_sii_make(s);
	memset(s->memory, 0, sizeof(s->memory));
	s->memory[0] = 0x11; /* type */
	s->memory[0x130] = 1;
	s->busy = s->delay = 0;
	s->wants_op = false;
}

/* Sets up the line of the tests: a coupler, a drive with a mailbox, outputs and inputs, and a slave with inputs. */
static void sim_line(struct sim_slave line[SIM_SLAVES])
{
	memset(line, 0, SIM_SLAVES * sizeof(*line));
	line[0] = (struct sim_slave){ .vendor = 2, .product = 0x044c2c52 };
	line[1] = (struct sim_slave){ .vendor = 0x1234,
				      .product = 0x5678,
				      .mailbox = { 0x00801800, 0x00801880 },
				      .output = { 2, 0x1000, 2 },
				      .input = { 3, 0x1100, 4 } };
	line[2] =
		(struct sim_slave){ .vendor = 2, .product = 0x03f03052, .input = { 0, 0x1000, 1 } };
	for (int i = 0; i < SIM_SLAVES; i++)
		sim_power(&line[i]);
}

/* --- states */

static unsigned int sim_state(const struct sim_slave *s)
{
	return s->memory[0x130] & 0x0f;
}

static void sim_refuse(struct sim_slave *s, uint16_t code)
{
	s->memory[0x130] |= 0x10;
	sim_put16(s->memory + 0x134, code);
}

/* Makes the slave leave OP by itself, as after its watchdog. */
static inline void sim_fall(struct sim_slave *s)
{
	s->memory[0x130] = 4;
	sim_refuse(s, 0x1b);
}

static bool sim_manager_is(const struct sim_slave *s, unsigned int number, uint16_t address,
			   uint16_t bytes)
{
	const uint8_t *m = s->memory + 0x800 + 8 * number;

	return sim_get16(m) == address && sim_get16(m + 2) == bytes && m[6] & 1;
}

static bool sim_mailbox_is(const struct sim_slave *s, unsigned int number)
{
	uint32_t place = s->mailbox[number];

	return !place || sim_manager_is(s, number, (uint16_t)place, (uint16_t)(place >> 16));
}

static bool sim_data_is(const struct sim_slave *s, const struct sim_data *data)
{
	return !data->bytes || sim_manager_is(s, data->manager, data->address, data->bytes);
}

/* Returns the AL status code with which the slave refuses a state, or 0. */
static uint16_t sim_refusal(const struct sim_slave *s, unsigned int from, unsigned int to)
{
	if (to == 1 || to == from)
		return 0;
	if (to == 2 && from == 1)
		return sim_mailbox_is(s, 0) && sim_mailbox_is(s, 1) ? 0 : 0x16;
	if (to == 4 && from == 2)
		return !sim_data_is(s, &s->output) ? 0x1d : !sim_data_is(s, &s->input) ? 0x1e : 0;
	if ((to == 8 && from == 4) || ((to == 2 || to == 4) && from > to))
		return 0;
	return to == 2 || to == 4 || to == 8 ? 0x11 : 0x12;
}

/* Handles the request in the AL control register. */
static void sim_request(struct sim_slave *s)
{
	unsigned int to = s->memory[0x120] & 0x0f;
	uint16_t code;

	if (s->memory[0x130] & 0x10) {
		if (!(s->memory[0x120] & 0x10))
			return;
		s->memory[0x130] &= 0x0f;
		sim_put16(s->memory + 0x134, 0);
	}
	code = sim_refusal(s, sim_state(s), to);
	s->wants_op = !code && to == 8 && s->output.bytes;
	if (code)
		sim_refuse(s, code);
	else if (!s->wants_op)
		s->memory[0x130] = (uint8_t)to;
}

/* --- registers */

static uint32_t sim_eeprom(const struct sim_slave *s, uint32_t word)
{
	return word < SIM_SII / 2 - 1 ? sim_get32(s->sii + 2 * word) : 0xffffffff;
}

static void sim_before_read(struct sim_slave *s, uint32_t from)
{
	if (from == 0x130 && s->delay && !--s->delay)
		sim_request(s);
	if (from == 0x502 && s->busy && !--s->busy) {
		sim_put16(s->memory + 0x502, 0);
		sim_put32(s->memory + 0x508, sim_eeprom(s, sim_get32(s->memory + 0x504)));
	}
}

static void sim_after_write(struct sim_slave *s, uint32_t from)
{
	if (from == 0x120)
		s->delay = 2;
	if (from == 0x502 && sim_get16(s->memory + 0x502) == 0x0100 && !s->memory[0x500]) {
		s->busy = 3;
		sim_put16(s->memory + 0x502, 0x8000);
	}
}

static unsigned int sim_read(struct sim_slave *s, uint32_t from, uint8_t *data, uint32_t length,
			     bool or)
{
	if (from + length > SIM_MEMORY)
		return 0;
	sim_before_read(s, from);
	for (uint32_t i = 0; i < length; i++)
		data[i] = (uint8_t)((or ? data[i] : 0) | s->memory[from + i]);
	return 1;
}

static unsigned int sim_write(struct sim_slave *s, uint32_t from, const uint8_t *data,
			      uint32_t length)
{
	if (from + length > SIM_MEMORY)
		return 0;
	memcpy(s->memory + from, data, length);
	sim_after_write(s, from);
	return 1;
}

/* --- process data */

/* Returns whether an active sync manager covers the address. */
static bool sim_managed(const struct sim_slave *s, uint32_t address)
{
	for (const uint8_t *m = s->memory + 0x800; m < s->memory + 0x880; m += 8)
		if (m[6] & 1 && address >= sim_get16(m) &&
		    address < (uint32_t)sim_get16(m) + sim_get16(m + 2))
			return true;
	return false;
}

/* Runs the application: inputs are the inverted outputs, or change with each exchange. */
static void sim_run(struct sim_slave *s)
{
	s->ticks++;
	for (uint32_t i = 0; i < s->input.bytes; i++)
		s->memory[s->input.address + i] =
			s->output.bytes
				? (uint8_t)~s->memory[s->output.address + i % s->output.bytes]
				: s->ticks;
}

/* Exchanges the bytes of one FMMU. `sent` contains the data before the slave. Returns whether it exchanged any. */
static bool sim_map(struct sim_slave *s, const uint8_t *f, uint32_t logical, const uint8_t *sent,
		    uint8_t *data, uint32_t length)
{
	uint32_t start = sim_get32(f), address = sim_get16(f + 8);
	bool mapped = false;

	for (uint32_t i = 0; i < sim_get16(f + 4); i++) {
		uint32_t at = start + i - logical;

		if (at >= length || address + i >= SIM_MEMORY || !sim_managed(s, address + i))
			continue;
		if (f[11] & 1)
			data[at] = s->memory[address + i];
		if (f[11] & 2)
			s->memory[address + i] = sent[at];
		mapped = true;
	}
	return mapped;
}

static unsigned int sim_exchange(struct sim_slave *s, uint32_t logical, uint8_t *data,
				 uint32_t length)
{
	bool read = false, write = false;
	uint8_t sent[2048];

	memcpy(sent, data, length);
	for (const uint8_t *f = s->memory + 0x600; sim_state(s) >= 4 && f < s->memory + 0x700;
	     f += 16) {
		bool mapped = f[12] & 1 && sim_map(s, f, logical, sent, data, length);

		read |= mapped && f[11] & 1;
		write |= mapped && f[11] & 2;
	}
	if (write && s->wants_op) {
		s->memory[0x130] = 8;
		s->wants_op = false;
	}
	if (read || write)
		sim_run(s);
	return (unsigned int)read + 2 * (unsigned int)write;
}

/* --- frames */

/* Passes a datagram through a slave. Returns by how much the working counter rises. */
static unsigned int sim_datagram(struct sim_slave *s, uint8_t *d, uint32_t length)
{
	uint16_t position = sim_get16(d + 2), offset = sim_get16(d + 4);

	switch (d[0]) {
	case 1: /* APRD */
		sim_put16(d + 2, position + 1u);
		return position ? 0 : sim_read(s, offset, d + 10, length, false);
	case 2: /* APWR */
		sim_put16(d + 2, position + 1u);
		return position ? 0 : sim_write(s, offset, d + 10, length);
	case 4: /* FPRD */
		return position == sim_get16(s->memory + 0x10)
			       ? sim_read(s, offset, d + 10, length, false)
			       : 0;
	case 5: /* FPWR */
		return position == sim_get16(s->memory + 0x10)
			       ? sim_write(s, offset, d + 10, length)
			       : 0;
	case 7: /* BRD */
		sim_put16(d + 2, position + 1u);
		return sim_read(s, offset, d + 10, length, true);
	case 8: /* BWR */
		sim_put16(d + 2, position + 1u);
		return sim_write(s, offset, d + 10, length);
	case 12: /* LRW */
		return sim_exchange(s, sim_get32(d + 2), d + 10, length);
	default:
		return 0;
	}
}

/* Passes a frame through the line. Returns false if it is not a valid EtherCAT frame. */
static bool sim_frame(struct sim_slave line[SIM_SLAVES], uint8_t *frame, uint32_t size)
{
	uint32_t end, length;
	bool more = true;

	if (size < SIM_HEADERS || frame[12] != 0x88 || frame[13] != 0xa4)
		return false;
	end = SIM_HEADERS + (sim_get16(frame + 14) & 0x7ff);
	if (end > size || sim_get16(frame + 14) >> 12 != 1)
		return false;
	frame[6] |= 2; /* the first slave marks the source address */
	for (uint8_t *d = frame + SIM_HEADERS; more; d += 12 + length) {
		uint32_t left = end - (uint32_t)(d - frame);

		length = left < 12 ? 0 : sim_get16(d + 6) & 0x7ff;
		if (left < 12 + length)
			return false;
		more = sim_get16(d + 6) >> 15;
		for (int i = 0; i < SIM_SLAVES; i++)
			if (!line[i].absent)
				sim_put16(d + 10 + length,
					  sim_get16(d + 10 + length) +
						  sim_datagram(&line[i], d, length));
	}
	return true;
}

#endif
