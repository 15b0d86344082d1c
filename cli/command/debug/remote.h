/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Translates gdb's remote serial protocol into calls of a target. gdb's threads have the ids of Limpet's. Registers are
 * those of gdb's description of x86-64 up to the selectors; gdb shows vector registers as unavailable.
 */
#ifndef CLI_DEBUG_REMOTE_H
#define CLI_DEBUG_REMOTE_H

#include <stdbool.h>
#include <stddef.h>

#include <cli/command/debug/packet.h>
#include <cli/command/debug/target.h>

#define REMOTE_PATIENCE 30 /* polls until a stop without a stopped thread is reported */

struct remote {
	struct target target;
	bool running;	    /* gdb waits for the threads to stop */
	unsigned int polls; /* number of polls without a stopped thread since gdb asked for a stop */
	bool ended;	    /* gdb has detached, or the session is lost */
	long error;	    /* reason for a lost session, or 0 */
	unsigned int thread; /* thread whose registers gdb reads; 0: the first stopped one */
	size_t length;	     /* length of `answer`, which may be empty */
	char answer[PACKET_MAX + 1];
};

/* Handles a packet. Returns whether `answer` must be sent. */
bool remote_packet(struct remote *remote, const char *packet, size_t length);
/* Handles gdb's request to stop. */
void remote_interrupt(struct remote *remote);
/*
 * Checks whether the threads have stopped, and keeps the session alive. Call it every 10 ms while `running`, otherwise
 * once a second. Returns whether `answer` must be sent.
 */
bool remote_poll(struct remote *remote);
/* Returns whether a thread is stopped in the component. */
bool remote_settled(struct remote *remote);

/* reply.c: parts of an answer, and numbers of packets. */
void reply_clear(struct remote *remote);
void reply_text(struct remote *remote, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Adds the bytes of a value, the lowest first, two digits each. */
void reply_bytes(struct remote *remote, uint64_t value, unsigned int bytes);
/* Sets the answer to OK, or to an error. */
void reply_status(struct remote *remote, long status);
/* Reads a hexadecimal number, and moves *at behind it. Returns false if it is missing or has more than 64 bits. */
bool number_take(const char **at, uint64_t *value);
/* Reads `bytes` bytes, the lowest first. */
bool bytes_take(const char **at, unsigned int bytes, uint64_t *value);
/* Moves *at behind a character. Returns false if another one is there. */
bool char_take(const char **at, char c);

/* threads.c: threads and why they stopped. */
/* Finds a thread. Returns false if the id is unknown. */
bool thread_find(struct remote *remote, unsigned int id, struct target_thread *thread);
/* Returns the first stopped thread, else the first thread, else 1. */
unsigned int thread_first(struct remote *remote);
void threads_list(struct remote *remote);
void thread_describe(struct remote *remote, const char *at);
void thread_alive(struct remote *remote, const char *at);
/* Answers why the threads stopped. */
void stop_report(struct remote *remote, unsigned int thread);

/* registers.c */
void registers_read(struct remote *remote);
void registers_write(struct remote *remote, const char *at);
void register_write(struct remote *remote, const char *at);

/* memory.c */
void memory_read(struct remote *remote, const char *at);
void memory_write(struct remote *remote, const char *at);
void breakpoint_change(struct remote *remote, const char *at, bool insert);

/* resume.c */
/* Handles vCont. Returns whether there is an answer now. */
bool threads_resume(struct remote *remote, const char *at);

#endif
