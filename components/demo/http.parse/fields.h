/* SPDX-License-Identifier: BSD-2-Clause */
/* The fields of a request that decide how it is answered. */
#ifndef FIELDS_H
#define FIELDS_H

#include "span.h"

struct fields {
	unsigned int count;
	unsigned int hosts;
	bool host_wrong;
	bool lengths; /* there is a Content-Length */
	uint64_t length;
	bool coded;   /* there is a Transfer-Encoding */
	bool chunked; /* and it is this one alone */
	bool close, keep;
	bool expects;	  /* 100-continue */
	bool expects_odd; /* something else */
};

/* Takes one line, without its end, in: 0, or the code of the answer that says what is wrong. */
unsigned int fields_add(struct fields *fields, struct span line);

#endif
