// SPDX-License-Identifier: BSD-2-Clause
/* Makes the component's own thread the first thread of the program, as Linux would start it. */
#include <runtime/format.h>
#include <runtime/kernel_call.h>
#include <runtime/memory.h>
#include <runtime/print.h>

#include <linux/auxvec.h>
#include <linux/elf.h>
#include <linux/mman.h>
#include <linux/sched.h>

#include "call.h"
#include "clock.h"
#include "file.h"
#include "posix.h"

#define ARGUMENTS 64
#define STACK_KIB 128
#define STACK_KIB_MAX 16384
#define FLAGS 0x202

/* Entry point in the C library's crt1.o. */
void _start(void);

/* Symbols of the composer's linker script: initial values of thread-local variables. */
extern const uint8_t __limpet_tls_begin[], __limpet_tls_data_end[], __limpet_tls_end[],
	__limpet_tls_unit[];

/* The C library finds thread-local variables by a program header. */
static Elf64_Phdr headers[1];

static word header_make(void)
{
	headers[0] = (Elf64_Phdr){
		.p_type = PT_TLS,
		.p_vaddr = (word)__limpet_tls_begin,
		.p_filesz = (word)(__limpet_tls_data_end - __limpet_tls_begin),
		.p_memsz = (word)(__limpet_tls_end - __limpet_tls_begin),
		.p_align = (word)(__limpet_tls_unit - __limpet_tls_begin),
	};
	return headers[0].p_memsz ? 1 : 0;
}

/*
 * --- arguments. `argv` has words with blanks between them. args0, args1 ... have one word each, which can have blanks
 */

struct words {
	const char *word[ARGUMENTS + 1];
	unsigned int count;
};

static void word_add(struct words *words, const char *text)
{
	if (words->count < ARGUMENTS)
		words->word[words->count++] = text;
	else
		limpet_print(
			"'%s' is dropped, because at most %d arguments or variables are supported. "
			"Remove some in the system file.\n",
			text, ARGUMENTS);
}

static void words_split(struct words *words, char *text)
{
	for (char *at = text; *at;) {
		while (*at == ' ')
			*at++ = 0;
		if (*at)
			word_add(words, at);
		while (*at && *at != ' ')
			at++;
	}
}

/* The joined arguments. They are at most as long as all texts of the info page, each with its final 0. */
struct texts {
	char text[LIMPET_INFO_ARGS * sizeof(((struct limpet_info_arg *)0)->text)];
	size_t used;
};

/*
 * Joins the pieces NAME, NAME.1, NAME.2 ... of a long argument. Returns the text, or NULL if the system file does not
 * set the argument.
 */
static char *argument_join(struct texts *texts, const struct limpet_info *info, const char *name)
{
	char *text = texts->text + texts->used, piece[sizeof(info->arg[0].name)];
	const char *part = limpet_arg_text(info, name, NULL);

	for (unsigned int i = 1; part; i++) {
		memcpy(texts->text + texts->used, part, strlen(part) + 1);
		texts->used += strlen(part);
		limpet_format(piece, sizeof(piece), "%s.%u", name, i);
		part = limpet_arg_text(info, piece, NULL);
	}
	if (text == texts->text + texts->used)
		return NULL;
	texts->used++;
	return text;
}

static void arguments_find(struct words *words, const struct limpet_info *info, struct texts *texts)
{
	char name[sizeof(info->arg[0].name)], *found;

	word_add(words, info->name);
	found = argument_join(texts, info, "argv");
	if (found)
		words_split(words, found);
	for (unsigned int i = 0; i < LIMPET_INFO_ARGS; i++) {
		limpet_format(name, sizeof(name), "args%u", i);
		found = argument_join(texts, info, name);
		if (found)
			word_add(words, found);
	}
}

/* Finds the variables of the environment. Argument `environment` has a line for each variable. */
static void environment_find(struct words *variables, const struct limpet_info *info,
			     struct texts *texts)
{
	char *at = argument_join(texts, info, "environment");

	while (at && *at) {
		word_add(variables, at);
		while (*at && *at != '\n')
			at++;
		if (*at)
			*at++ = 0;
	}
}

/* --- the first stack: count, arguments, 0, environment, 0, auxiliary vector */

/* Stores the addresses of words, and a 0 after them. Returns the address after the 0. */
static word *words_store(word *at, const struct words *words)
{
	for (unsigned int i = 0; i < words->count; i++)
		*at++ = (word)words->word[i];
	*at++ = 0;
	return at;
}

static word *stack_fill(word *top, const struct words *words, const struct words *variables)
{
	static uint8_t random[16];
	const word auxiliary[] = {
		AT_PAGESZ, LIMPET_PAGE,		 AT_PHDR,   (word)headers,
		AT_PHENT,  sizeof(headers[0]),	 AT_PHNUM,  header_make(),
		AT_RANDOM, (word)random,	 AT_CLKTCK, 100,
		AT_EXECFN, (word)words->word[0], AT_NULL,   0,
	};
	const unsigned int count =
		1 + words->count + 1 + variables->count + 1 + array_size(auxiliary);
	word *sp = top - (count + 1) / 2 * 2, *at = sp;

	random_bytes(random, sizeof(random));
	*at++ = words->count;
	at = words_store(words_store(at, words), variables);
	memcpy(at, auxiliary, sizeof(auxiliary));
	return sp;
}

static word *stack_make(const struct limpet_info *info)
{
	const int64_t kib = limpet_arg_number(info, "stack-kib", STACK_KIB);
	const size_t size =
		((size_t)kib + 3) / 4 * LIMPET_PAGE + LIMPET_PAGE; /* includes a guard page */
	uint8_t *stack = kib > 0 && kib <= STACK_KIB_MAX ? pages_get(size) : NULL;
	static struct words words, variables;
	static struct texts texts;

	if (!stack || call_mprotect((word)stack, LIMPET_PAGE, PROT_NONE) < 0) {
		limpet_print(
			"there is no memory for a stack of %ld KiB. Make argument stack-kib smaller "
			"or the component's quota larger.\n",
			kib);
		return NULL;
	}
	arguments_find(&words, info, &texts);
	environment_find(&variables, info, &texts);
	return stack_fill((word *)(stack + size), &words, &variables);
}

void component_main(const struct limpet_info *info)
{
	long status = limpet_call_syscall_entry((word)posix_entry);
	struct posix_thread *thread;

	posix_first = info->thread - 1;
	thread = posix_self();
	posix_stacks = info->stacks;
	posix_stacks_size = (word)LIMPET_THREADS_MAX << info->stack_shift;
	clock_begin(info);
	clock_program_begin();
	if (status < 0 || !files_setup(info)) {
		limpet_print("the program cannot start: %s\n",
			     limpet_error_text(status < 0 ? status : LIMPET_ENOMEM));
		return;
	}
	memcpy(thread->vectors, posix_clean, sizeof(thread->vectors));
	clock_thread_begin(thread);
	thread_begin(thread);
	if (!policy_begin(thread, limpet_arg_text(info, "policy", "other"))) {
		limpet_print("argument policy is '%s', but must be other, fifo or rr. Correct the "
			     "system file.\n",
			     limpet_arg_text(info, "policy", ""));
		return;
	}
	thread->first.rip = (word)_start;
	thread->first.flags = FLAGS;
	thread->first.rsp = (word)stack_make(info);
	if (thread->first.rsp)
		thread_go(thread);
}
