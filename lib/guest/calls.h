/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The system calls of Linux on x86-64: number, name, and the kinds of the arguments and of the result.
 * The table is made from the headers of the newest kernel that Limpet is tested on (tools/guest), so an
 * older kernel may lack some calls. <guest/numbers.h>, which is made with it, has the numbers as
 * constants: GUEST_CALL_openat.
 *
 * All functions may be called by any thread, do not allocate, and do not wait.
 */
#ifndef GUEST_CALLS_H
#define GUEST_CALLS_H

#include <runtime/types.h>

#define GUEST_ARGUMENTS 6 /* maximum of one call, in rdi, rsi, rdx, r10, r8, r9 */

/* Kinds of arguments and of fields of structures. A kind says how the word is read. */
enum guest_kind {
	GUEST_SIGNED,
	GUEST_UNSIGNED,
	GUEST_HEX,
	GUEST_FD,
	GUEST_DIRFD, /* a descriptor of a folder, or AT_FDCWD */
	GUEST_PID,
	GUEST_ID,	/* ID of a user or group, or -1 for unchanged */
	GUEST_MODE,	/* permissions */
	GUEST_FILEMODE, /* permissions and type of a file */
	GUEST_SIGNAL,
	GUEST_FLAGS,	  /* bits of a set */
	GUEST_VALUE,	  /* one value of a set */
	GUEST_CLONEFLAGS, /* bits of a set, and a signal */
	/* Pointers. */
	GUEST_ADDRESS, /* not followed */
	GUEST_STRING,  /* text that ends with 0 */
	GUEST_PATH,    /* path of a file, which ends with 0 */
	GUEST_NAME,    /* name of a thread, at most 15 bytes */
	GUEST_BUFFER, /* as many bytes as argument `link` says; after the call, as the result says */
	GUEST_STRINGS,	   /* addresses of texts, up to a null pointer */
	GUEST_ENVIRONMENT, /* as GUEST_STRINGS, but only their count is printed */
	GUEST_STRUCT,	   /* structure `of`, or a list if `link` has a count */
	GUEST_CLONEARGS,   /* arguments of clone3; their size is argument `link` */
	GUEST_LENGTH,	   /* a number that the call changes */
	GUEST_SOCKADDR,	   /* its size is argument `link` */
	GUEST_IOVEC,	   /* their count is argument `link` */
	GUEST_MSGHDR,
	GUEST_SIGSET, /* its size is argument `link` */
	GUEST_STATUS, /* status of a process that ended or stopped */
	GUEST_FDSET,  /* descriptors below argument `link` */
	GUEST_CPUSET,
	GUEST_DIRENTS, /* directory entries; only their count is printed */
	/* Fields of structures only. */
	GUEST_TEXT,	/* text in the structure itself */
	GUEST_LIMIT,	/* limit of a resource */
	GUEST_FILESIZE, /* size of a file that is not a device */
	GUEST_DEVICE,	/* number of a device file */
	GUEST_EPOLLDATA,
	GUEST_HANDLER, /* handler of a signal */
	GUEST_PORT,
	GUEST_INET,
	GUEST_INET6,
	GUEST_FLOWINFO,
	GUEST_GROUPS,
	GUEST_TICKS, /* time of a clock with 100 ticks per second */
};

/* Moments at which a pointer's target is valid. */
enum guest_way {
	GUEST_IN,   /* before the call */
	GUEST_OUT,  /* after the call, if it did not fail */
	GUEST_LEFT, /* after a call that a signal interrupted */
};

/* Kinds of results. They describe a call that did not fail. A failed call returns -1 to -4095 in the register. */
enum guest_returns {
	GUEST_RETURNS_ERROR, /* 0: only success or an error */
	GUEST_RETURNS_VALUE,
	GUEST_RETURNS_FD,
	GUEST_RETURNS_PID,
	GUEST_RETURNS_ADDRESS,
	GUEST_RETURNS_HEX,
	GUEST_RETURNS_MODE,
	GUEST_RETURNS_FLAGS,  /* bits of set `of` */
	GUEST_RETURNS_NAMED,  /* a value of set `of` */
	GUEST_RETURNS_POLL,   /* a count of descriptors; what happened is in the first argument */
	GUEST_RETURNS_SELECT, /* a count of descriptors; these are in the three sets */
	GUEST_RETURNS_NEVER,
};

#define GUEST_LINK_NONE (-1)
#define GUEST_LINK_RESULT (-2)
#define GUEST_LINK_CONSTANT 16 /* link - 16 is the count itself */

/* An argument, or a field of a structure. */
struct guest_value {
	const char *name;
	word bits;	      /* with `only`: print this value if that one has one of these bits */
	unsigned short at;    /* register of the argument, 0 to 5; offset of the field */
	unsigned short count; /* elements of an array; 1 for a single value */
	unsigned short size;  /* bytes of the number: 4 or 8 of an argument; of the field */
	unsigned char kind;   /* enum guest_kind */
	unsigned char way;    /* enum guest_way */
	unsigned char of;     /* GUEST_SET_ or GUEST_STRUCT_ */
	signed char link;     /* argument with a size or count, or GUEST_LINK_ */
	signed char only;     /* index of the argument or field that `bits` test, or -1 */
	unsigned char sign;   /* the number is signed */
	unsigned char label;  /* the name is printed */
};

struct guest_call {
	const char *name;
	unsigned short arguments; /* index of the first in guest_values */
	unsigned short variants;  /* index of the first in guest_variants */
	unsigned char count;	  /* of arguments, 0 to 6 */
	unsigned char variant_count;
	unsigned char returns;	   /* enum guest_returns */
	unsigned char of;	   /* GUEST_SET_ of the result */
	unsigned char implemented; /* 0: Linux always returns ENOSYS, and the arguments are unknown */
};

/* Returns one more than the highest number of a call. */
long guest_call_end(void);
/* Returns a call, or NULL if no call has that number. */
const struct guest_call *guest_call_at(long number);
/*
 * Returns the number of the call with that name, or LIMPET_ENOENT. Compares with each name of the
 * table, so look names up once and keep the number.
 */
long guest_call_number(const char *name);
/* Returns an argument of a call, or NULL if it has fewer. `index` counts from 0. */
const struct guest_value *guest_call_argument(const struct guest_call *call, unsigned int index);

#endif
