/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An EtherCAT master. References are to ETG.1000 parts 4 and 6. One thread does all work, cycle by cycle: a cycle sends
 * one frame, with the process data and at most one other datagram, and waits for its return. So the code that finds and
 * starts slaves is sequential, and process data are exchanged while it runs.
 *
 *	wire.c    makes and reads frames
 *	line.c    cycles
 *	slave.c   starts one slave: addresses, EEPROM, sync managers, FMMUs, states
 *	master.c  finds slaves, and starts those that are not in OP
 *	image.c   process data, shared with serve.c
 *	setup.c   the arguments
 *	port.c    the channel and the time
 */
#ifndef ETHERCAT_ETHERCAT_H
#define ETHERCAT_ETHERCAT_H

#include <runtime/component.h>

#define SLAVES 8
#define IMAGE_MAX 512	/* bytes of process data */
#define DATAGRAM_MAX 64 /* bytes of another datagram */
#define FRAME_MAX 1514
#define STATION 0x1001u /* station address of the first slave */

/* --- wire.c */

enum command {
	COMMAND_APWR = 2, /* writes by the position on the line */
	COMMAND_FPRD = 4, /* reads by station address */
	COMMAND_FPWR = 5,
	COMMAND_BRD = 7,  /* reads all slaves */
	COMMAND_LRW = 12, /* exchanges process data */
};

struct datagram {
	enum command command;
	uint16_t address; /* position, or station address */
	uint16_t offset;  /* register */
	uint16_t length;
	uint8_t data[DATAGRAM_MAX];
	uint16_t counter; /* working counter of the answer */
};

struct exchange {
	uint32_t length; /* 0: process data are not exchanged */
	uint8_t data[IMAGE_MAX];
	uint16_t counter;
};

enum frame_kind {
	FRAME_ANSWER,
	FRAME_LATE,  /* a valid answer to an earlier frame */
	FRAME_OTHER, /* a frame of another protocol */
	FRAME_INVALID,
};

/* Makes a frame of the process data, if there are any, and a datagram. Returns its length. */
uint32_t frame_make(uint8_t frame[FRAME_MAX], uint8_t index, const struct exchange *exchange,
		    const struct datagram *datagram);
/*
 * Reads a frame that has returned. Only for FRAME_ANSWER it changes the data and counters. The frame's content is not
 * trusted, but must not change meanwhile.
 */
enum frame_kind frame_read(const uint8_t *frame, uint32_t length, uint8_t index,
			   struct exchange *exchange, struct datagram *datagram);

/* --- port.c. Context: the component's own thread. */

/* Opens the channel. ENOENT: there is no channel, and a line in the log reports that. */
long port_begin(void);
/* Sends a frame. ESTATE: the device is down, or absent. EFULL: frames before it were not taken. */
long port_send(const void *frame, uint32_t length);
/* Copies the next frame, and returns its length. ETIME: no frame has arrived until the deadline. */
long port_receive(uint8_t frame[FRAME_MAX], uint64_t deadline);
void port_sleep(uint64_t until);

/* --- image.c */

struct part {
	uint32_t at, bytes; /* place in the process data */
};

struct image {
	uint32_t length;
	bool good; /* the last cycle exchanged all data */
	uint64_t cycles;
};

extern struct image image;

/* Copies all process data. Slaves replace the inputs. */
void image_send(struct exchange *exchange);
/* Ends a cycle. `exchange` has its data; NULL: it failed. Resumes threads that wait for it. */
void image_end(const struct exchange *exchange);
/* Reserves bytes. EFULL: the process data are longer than IMAGE_MAX. For the setup. */
long part_add(struct part *part, uint32_t bytes, bool input);
/* Reads or writes 1 to 8 bytes of a part. ERANGE: they are outside. ESTATE: the lock is not available to the thread. */
long part_get(const struct part *part, word offset, word *data);
long part_set(const struct part *part, word offset, word length, word data);
/* Waits for the end of a cycle: ETIME, EAGAIN, ESTATE. */
long image_wait(uint64_t deadline);

/* --- line.c */

struct line {
	uint64_t period, next; /* ticks; time stamp of the next cycle */
	uint8_t index;	       /* index of the last frame */
	bool exchanging;       /* cycles exchange process data */
	bool counting;	       /* failed cycles count: all slaves have been in OP */
	uint16_t expected;     /* working counter of the process data */
	bool wrong;	       /* the last cycle's was another one */
	uint64_t lost, late, wrongs, invalid;
};

extern struct line line;

/* Waits for the next period and does a cycle with a datagram. ETIME: the frame did not come back. */
long line_cycle(struct datagram *datagram);
/* Does cycles until the datagram has come back, at most 3. Returns its working counter, or ETIME. */
long line_transact(struct datagram *datagram);

/* --- slave.c */

#define AL_STATUS 0x130 /* register, 6 bytes: state, reserved, code */

enum al_state {
	AL_ABSENT = 0,
	AL_INIT = 1,
	AL_PRE_OP = 2,
	AL_SAFE_OP = 4,
	AL_OP = 8,
};

struct process_data {
	struct part part;
	uint16_t address; /* address in the slave's memory */
	uint8_t manager;  /* number of the sync manager */
};

struct slave {
	uint32_t vendor, product;	      /* expected by the system file */
	struct process_data output, input;    /* zero bytes if the slave has no such data */
	uint32_t found_vendor, found_product; /* read from the EEPROM */
	uint16_t station;
	enum al_state state;
	uint16_t code;	   /* AL status code of the last error */
	uint64_t retry_at; /* time stamp of the next attempt to start it */
	long failure;	   /* status of the last attempt, which the log has */
};

/* Reads state and code. Returns LIMPET_OK, EPEER if the slave does not answer, or ETIME. */
long slave_look(struct slave *slave);
/*
 * Brings a slave with a station address to OP. ETYPE: it is another device than the system file says. ESTATE: it
 * refused a state, see `code`. EPEER: it does not answer, or its EEPROM fails. ETIME: frames are lost, or a state is
 * not reached.
 */
long slave_start(struct slave *slave);
/* The name of a state, and a description of an AL status code (ETG.1020). Never NULL. */
const char *state_name(enum al_state state);
const char *code_text(uint16_t code);

/* --- master.c */

struct master {
	struct slave slave[SLAVES];
	unsigned int slaves; /* number in the system file */
	long found;	     /* number on the line that the log has; -1: not counted */
	unsigned int looks;  /* slaves whose state must still be read */
	uint64_t reported;   /* sum of failed cycles that the log has */
};

extern struct master master;

/* Does one step: a cycle, or the start of a slave, which takes many cycles. */
void master_turn(void);

/* --- setup.c */

/*
 * Reads the arguments. ERANGE: an argument is invalid, and a line in the log names it. EFULL: there are too many
 * process data.
 */
long master_setup(const struct limpet_info *info);

#endif
