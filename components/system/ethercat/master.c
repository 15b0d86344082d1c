// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/memory.h>
#include <runtime/print.h>
#include <runtime/time.h>

#include "ethercat.h"

#define RETRY_MS 100 /* interval of attempts to start a slave */
#define STATION_REGISTER 0x10
#define TYPE_REGISTER 0x00 /* each slave has this register */

struct master master;

static unsigned int number_of(const struct slave *slave)
{
	return (unsigned int)(slave - master.slave);
}

/* --- the line */

/* Counts the slaves on the line. Returns whether they are as many as the system file has. */
static bool slaves_count(void)
{
	struct datagram datagram = { COMMAND_BRD, 0, TYPE_REGISTER, 1, { 0 }, 0 };
	long found = line_transact(&datagram);

	if (found != master.found && found < 0)
		limpet_print("<4>no frame comes back: check the cable and the network device\n");
	else if (found != master.found && found != (long)master.slaves)
		limpet_print("<4>%ld slaves answer, and the system file has %u\n", found,
			     master.slaves);
	else if (found != master.found)
		limpet_print("%ld slaves answer\n", found);
	master.found = found;
	return found == (long)master.slaves;
}

/* Gives a slave its station address by its position, which is only known while no slave is missing. */
static long station_set(struct slave *slave)
{
	struct datagram datagram = {
		COMMAND_APWR, (uint16_t)-number_of(slave), STATION_REGISTER, 2, { 0 }, 0
	};

	if (!slaves_count())
		return LIMPET_ENOENT;
	memcpy(datagram.data, &slave->station, sizeof(slave->station));
	return line_transact(&datagram) == 1 ? LIMPET_OK : LIMPET_EPEER;
}

/* --- a slave that is not in OP */

static void failure_log(const struct slave *slave, long status)
{
	unsigned int number = number_of(slave);

	if (status == LIMPET_ETYPE)
		limpet_print(
			"<3>slave %u is %x:%x in its EEPROM, and %x:%x in the system file: correct "
			"the file or the wiring\n",
			number, slave->found_vendor, slave->found_product, slave->vendor,
			slave->product);
	else if (status == LIMPET_ESTATE)
		limpet_print("<4>slave %u stays in %s: AL status code %x, %s\n", number,
			     state_name(slave->state), slave->code, code_text(slave->code));
	else if (status != LIMPET_ENOENT)
		limpet_print("<4>slave %u cannot be started: %s\n", number,
			     limpet_error_text(status));
}

static bool all_operational(void)
{
	for (unsigned int i = 0; i < master.slaves; i++)
		if (master.slave[i].state != AL_OP)
			return false;
	return true;
}

static void slave_recover(struct slave *slave)
{
	bool known = slave->state != AL_ABSENT;
	long status = known ? LIMPET_OK : station_set(slave);

	if (!status)
		status = slave_start(slave);
	if (status && status != slave->failure)
		failure_log(slave, status);
	slave->failure = status;
	if (status) {
		slave->retry_at = limpet_time() + limpet_us_to_ticks(RETRY_MS * 1000);
		return;
	}
	limpet_print("slave %u is in OP\n", number_of(slave));
	line.counting |= all_operational();
}

/* Returns the next slave that must be started now. */
static struct slave *slave_due(void)
{
	for (unsigned int i = 0; i < master.slaves; i++)
		if (master.slave[i].state != AL_OP && limpet_time() >= master.slave[i].retry_at)
			return &master.slave[i];
	return NULL;
}

/* Reads the state of one slave after a wrong working counter or state. */
static void slave_check(struct slave *slave)
{
	long status;

	if (slave->state != AL_OP)
		return;
	slave->code = 0;
	status = slave_look(slave);
	if (slave->state == AL_OP)
		return;
	slave->retry_at = 0;
	slave->failure = LIMPET_OK;
	if (status == LIMPET_EPEER)
		limpet_print("<4>slave %u does not answer\n", number_of(slave));
	else
		limpet_print("<4>slave %u has fallen back to %s: AL status code %x, %s\n",
			     number_of(slave), state_name(slave->state), slave->code,
			     slave->code ? code_text(slave->code) : "without an error");
}

/* --- one step */

/* Writes a line each time that the number of failed cycles has doubled. */
static void failures_log(void)
{
	uint64_t sum = line.lost + line.wrongs + line.invalid;

	if (sum == master.reported || sum < 2 * master.reported)
		return;
	master.reported = sum;
	limpet_print(
		"<4>failed cycles: %lu frames lost, %lu of them late, %lu wrong working counters; %lu "
		"invalid frames\n",
		line.lost, line.late, line.wrongs, line.invalid);
}

/*
 * Exchanges process data, and reads the states of all slaves, combined by OR. The working counter alone is not enough,
 * because a slave in SAFE-OP takes part in the exchange.
 */
static void watch_cycle(void)
{
	struct datagram datagram = { COMMAND_BRD, 0, AL_STATUS, 2, { 0 }, 0 };

	if (line_cycle(&datagram) == LIMPET_OK &&
	    (line.wrong || datagram.counter != master.slaves || datagram.data[0] != AL_OP))
		master.looks = master.slaves;
}

void master_turn(void)
{
	struct slave *due = slave_due();

	failures_log();
	if (due) {
		slave_recover(due);
	} else if (master.looks) {
		slave_check(&master.slave[--master.looks]);
	} else {
		watch_cycle();
	}
}
