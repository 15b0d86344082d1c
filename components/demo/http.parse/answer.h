/* SPDX-License-Identifier: BSD-2-Clause */
/* The heads of answers, and the pages of those that say what is wrong. */
#ifndef ANSWER_H
#define ANSWER_H

#include "parsed.h"

/* What was found for a request. */
struct found {
	word body, size;
	bool live;
};

/* An answer with a body, or to HEAD without. */
void answer_found(struct http_answer *answer, const struct request *request,
		  const struct found *found);
/* An answer that says what is wrong. */
void answer_error(struct http_answer *answer, const struct request *request, unsigned int code);

#endif
