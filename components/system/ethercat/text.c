// SPDX-License-Identifier: BSD-2-Clause
/* AL status codes: ETG.1020 clause 4.3. */
#include "ethercat.h"

static const struct {
	uint16_t code;
	const char *text;
} codes[] = {
	{ 0x01, "unspecified error" },
	{ 0x02, "no memory" },
	{ 0x03, "invalid device setup" },
	{ 0x11, "the requested state change is invalid" },
	{ 0x12, "the requested state is unknown" },
	{ 0x13, "the state bootstrap is not supported" },
	{ 0x14, "no valid firmware" },
	{ 0x16, "invalid mailbox configuration for PRE-OP" },
	{ 0x17, "invalid sync manager configuration" },
	{ 0x18, "no valid inputs" },
	{ 0x19, "no valid outputs" },
	{ 0x1a, "synchronisation error" },
	{ 0x1b, "sync manager watchdog: no outputs arrived in time" },
	{ 0x1c, "invalid types of sync managers" },
	{ 0x1d, "invalid configuration of the outputs" },
	{ 0x1e, "invalid configuration of the inputs" },
	{ 0x1f, "invalid configuration of the watchdog" },
	{ 0x20, "the slave needs a cold start" },
	{ 0x21, "the slave needs INIT" },
	{ 0x22, "the slave needs PRE-OP" },
	{ 0x23, "the slave needs SAFE-OP" },
	{ 0x24, "invalid mapping of the inputs" },
	{ 0x25, "invalid mapping of the outputs" },
	{ 0x2b, "no valid inputs and outputs" },
	{ 0x2c, "fatal synchronisation error" },
	{ 0x2d, "no synchronisation signal" },
	{ 0x30, "invalid configuration of distributed clocks" },
	{ 0x42, "mailbox error of EoE" },
	{ 0x43, "mailbox error of CoE" },
	{ 0x50, "the EEPROM cannot be accessed" },
	{ 0x51, "error in the EEPROM" },
	{ 0x60, "the slave was restarted by itself" },
};

const char *code_text(uint16_t code)
{
	for (unsigned int i = 0; i < sizeof(codes) / sizeof(*codes); i++)
		if (codes[i].code == code)
			return codes[i].text;
	return "a code of the vendor";
}

const char *state_name(enum al_state state)
{
	switch (state) {
	case AL_ABSENT:
		return "absent";
	case AL_INIT:
		return "INIT";
	case AL_PRE_OP:
		return "PRE-OP";
	case AL_SAFE_OP:
		return "SAFE-OP";
	case AL_OP:
		return "OP";
	default:
		return "an unknown state";
	}
}
