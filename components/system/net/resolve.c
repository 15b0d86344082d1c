// SPDX-License-Identifier: BSD-2-Clause
/*
 * Resolves names. A question is a request to lwIP. Its record keeps the answer until all waiters have read it. An
 * answer without waiters is kept for a second, so that a caller can poll.
 */
#include <lwip/dns.h>
#include <lwip/sys.h>

#include <runtime/memory.h>

#include <export/socket.h>

#include "net.h"

#define KEPT_MS 1000
#define QUESTIONS_OF_ONE (DNS_TABLE_SIZE / 2) /* maximum unanswered questions of one client */

enum state { FREE, ASKED, ANSWERED };

static struct question {
	enum state state;
	word family;
	word badge; /* of the client that asked */
	char name[DNS_MAX_NAME_LENGTH];
	bool known;
	u32_t answered; /* time of the answer, in ms */
	ip_addr_t address;
	struct event event;
} questions[DNS_TABLE_SIZE];

/* Frees the records of old answers. */
static void questions_forget(void)
{
	for (unsigned int i = 0; i < DNS_TABLE_SIZE; i++)
		if (questions[i].state == ANSWERED && !questions[i].event.waiters &&
		    sys_now() - questions[i].answered >= KEPT_MS)
			questions[i].state = FREE;
}

static struct question *question_find(const char *name, word family)
{
	for (unsigned int i = 0; i < DNS_TABLE_SIZE; i++) {
		struct question *question = &questions[i];

		if (question->state != FREE && question->family == family &&
		    strcmp(question->name, name) == 0)
			return question;
	}
	return NULL;
}

/*
 * Returns a free record, or an answered one without waiters. Returns NULL if there is no such
 * record, or if the client has QUESTIONS_OF_ONE unanswered questions.
 */
static struct question *question_new(word badge)
{
	struct question *found = NULL;
	unsigned int own = 0;

	for (unsigned int i = 0; i < DNS_TABLE_SIZE; i++) {
		struct question *question = &questions[i];

		own += question->state == ASKED && question->badge == badge;
		if (question->state == FREE)
			found = question;
		else if (!found && question->state == ANSWERED && !question->event.waiters)
			found = question;
	}
	return own < QUESTIONS_OF_ONE ? found : NULL;
}

static void on_answer(const char *name, const ip_addr_t *address, void *of)
{
	struct question *question = of;

	(void)name;
	question->state = ANSWERED;
	question->answered = sys_now();
	question->known = address;
	if (address)
		question->address = *address;
	core_wake(&question->event);
}

static u8_t kind_of(word family)
{
	if (family == 4)
		return LWIP_DNS_ADDRTYPE_IPV4;
	return family == 6 ? LWIP_DNS_ADDRTYPE_IPV6 : LWIP_DNS_ADDRTYPE_IPV4_IPV6;
}

/*
 * Asks lwIP for an address. Returns LIMPET_OK with the address, or LIMPET_EAGAIN if an answer is
 * pending. EBUSY: all records that the client may use are in use, or lwIP's are. ENOENT: lwIP refused the name.
 */
static long ask(word badge, const char *name, word family, struct question **question,
		ip_addr_t *address)
{
	struct question *asked = question_new(badge);
	err_t error;

	*question = asked;
	if (!asked)
		return LIMPET_EBUSY;
	*asked = (struct question){
		.state = ASKED, .family = family, .badge = badge, .event = asked->event
	};
	memcpy(asked->name, name, strlen(name) + 1);
	error = dns_gethostbyname_addrtype(name, address, on_answer, asked, kind_of(family));
	if (error == ERR_INPROGRESS)
		return LIMPET_EAGAIN;
	asked->state = FREE;
	if (error == ERR_OK)
		return LIMPET_OK;
	return error == ERR_MEM ? LIMPET_EBUSY : LIMPET_ENOENT;
}

/*
 * Reads the answer of a question. The last waiter frees the record. Returns LIMPET_EAGAIN without
 * an answer.
 */
static long answer_take(struct question *question, ip_addr_t *address)
{
	long status = question->known ? LIMPET_OK : LIMPET_ENOENT;

	if (question->state != ANSWERED)
		return LIMPET_EAGAIN;
	if (question->known)
		*address = question->address;
	if (!question->event.waiters)
		question->state = FREE;
	return status;
}

static long resolve(word badge, const char *name, word family, word deadline, ip_addr_t *address)
{
	struct question *question;
	long status, waited;

	questions_forget();
	question = question_find(name, family);
	status = question ? answer_take(question, address)
			  : ask(badge, name, family, &question, address);
	if (status != LIMPET_EAGAIN)
		return status;
	waited = core_wait(&question->event, deadline);
	status = answer_take(question, address);
	return status == LIMPET_EAGAIN && waited ? waited : status;
}

/*
 * Copies the name out of the client's memory, so that the client cannot change it after the check.
 */
static long name_take(const struct client *client, word offset, word length, char *name)
{
	const char *from;

	if (!client)
		return LIMPET_ESTATE;
	from = client_memory(client, offset, length);
	if (!from)
		return LIMPET_ERANGE;
	memcpy(name, from, length);
	name[length] = 0;
	for (word i = 0; i < length; i++)
		if (name[i] <= ' ' || name[i] > '~')
			return LIMPET_ERANGE;
	return LIMPET_OK;
}

long socket_serve_resolve(word badge, word offset, word length, word family, word deadline,
			  struct socket_resolve_results *out)
{
	char name[DNS_MAX_NAME_LENGTH];
	ip_addr_t address;
	long status;

	if (!length || length >= DNS_MAX_NAME_LENGTH || (family && family != 4 && family != 6))
		return LIMPET_ERANGE;
	core_enter();
	status = name_take(client_find(badge), offset, length, name);
	if (!status)
		status = resolve(badge, name, family, deadline, &address);
	if (!status)
		address_give(&address, &out->high, &out->low);
	return core_leave(status);
}
