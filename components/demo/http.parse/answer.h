/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the heads of answers, and the pages of errors. */
#ifndef ANSWER_H
#define ANSWER_H

#include "parsed.h"

/* The content that was found for a request. */
struct found {
	word body, size;
	bool live;
};

/* Writes the answer for a content. The answer to HEAD has no body. */
void answer_found(struct http_answer *answer, const struct request *request,
		  const struct found *found);
/* Writes the answer for an error. */
void answer_error(struct http_answer *answer, const struct request *request, unsigned int code);

#endif
