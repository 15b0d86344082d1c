/* SPDX-License-Identifier: BSD-2-Clause */
/* The fields of a request that decide how it is answered. */
#ifndef FIELDS_H
#define FIELDS_H

#include "span.h"

struct fields {
	unsigned int count;
	unsigned int hosts;
	bool host_wrong;
	bool lengths; /* the request has a Content-Length */
	uint64_t length;
	bool coded;   /* the request has a Transfer-Encoding */
	bool chunked; /* its only coding is chunked */
	bool close, keep;
	bool expects;	  /* 100-continue */
	bool expects_odd; /* another expectation */
};

/* Reads one line, without its end. Returns 0, or the code of an error. */
unsigned int fields_add(struct fields *fields, struct span line);

#endif
