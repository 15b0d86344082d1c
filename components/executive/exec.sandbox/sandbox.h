/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A sandbox for guests. The policy is a text file of the ramdisk. Each line has a rule; text after a word that begins
 * with # is a comment. Without a valid policy the executive serves no guest.
 *
 *   default ACTION           for calls that no rule names. ACTION is allow, deny (they fail with EPERM) or kill (the
 *                            process ends by SIGSYS). Default: deny
 *   allow CALL ...           these calls may be made; also deny CALL ..., kill CALL ...
 *   read PATH ...            files with these names, or below these folders, may be read; `write` and `execute` also
 *                            allow to read. Paths are absolute
 *   relative ACCESS ...      relative paths may be used for read, write, execute; they must not lead upwards
 *   connect FAMILY [A.B.C.D[/BITS] [PORT]]
 *                            addresses to connect and send to; `bind` likewise. FAMILY is unix, inet, inet6, netlink, any
 *                            or a number. The path of a unix socket must also be allowed for write
 *   refusal deny|kill        what a path or address that no rule allows does. Default: deny
 *
 * Protection against changes after the check: a path or address is copied once into a page of the executive, checked there in its
 * normalised form, and Linux gets the address of the copy. Guests see the page at RANGE and cannot write to it. Calls
 * that would change what is mapped there are refused. The filter of a guest is set by the executive: it has all calls
 * but those that are allowed whatever their arguments are, and 32-bit calls fail.
 *
 * Not covered. Use the policy for what is said here, or additional means of Linux:
 *   - Names are checked, not files. A symbolic link that exists already leads where it leads. A guest can only make
 *     links whose target it may write. Below /proc, components named root and cwd are refused.
 *   - Relative paths: any folder that the guest may read can be the working folder, or be opened and passed.
 *   - File descriptors that the guest has from the start, or receives through sockets, are not checked.
 *   - What can be read can be executed by an interpreter or the dynamic linker. Interpreters of scripts are not checked.
 *   - Calls that undermine the above are refused unless a rule `allow` names them: policy_calls.c lists them, as
 *     io_uring_setup, ptrace, mount and sendmmsg. Calls that are not in the table of lib/guest cannot be allowed.
 *   - A child process can see the paths that other threads of its parent use.
 *   - Processes that are attached while they run are released, because their other threads could change what is mapped.
 *     For the same reason a program enters before it has several threads; the second one to enter kills it.
 *     Guests that were started with LIMPET_GUEST_ALONE or LIMPET_GUEST_OPEN leave the sandbox with their children, or
 *     when the system ends. Use `limpet guest run`.
 * PAGES guests can use paths and addresses at a time; such calls of further guests fail with ENOMEM.
 */
#ifndef SANDBOX_SANDBOX_H
#define SANDBOX_SANDBOX_H

#include <executive/executive.h>
#include <executive/linux.h>
#include <executive/rules.h>
#include <runtime/text.h>

#define NUMBERS 512 /* of calls; the last one stands for all higher numbers, too */
#define PATH_SIZE 4096
#define ARGUMENTS 6

#define PAGES 1024
#define RANGE 0x680000000000ul
#define RANGE_BYTES (PAGES * (word)LIMPET_PAGE)

/* policy.c: what the file says. */
enum action {
	ACTION_ALLOW,
	ACTION_DENY,
	ACTION_KILL,
	ACTION_UNNAMED = 0xff, /* before policy_finish() */
};

enum access {
	ACCESS_READ = 1,
	ACCESS_WRITE = 2,
	ACCESS_EXECUTE = 4,
};

enum direction {
	DIRECTION_CONNECT,
	DIRECTION_BIND,
};

struct address_rule {
	uint32_t direction; /* enum direction */
	uint32_t family;    /* FAMILY_ANY: all */
	uint32_t address, mask;
	uint32_t port; /* 0: all */
};

struct path_rule {
	const char *text; /* in the policy, without a final 0 */
	size_t length;	  /* 0: all absolute paths */
	unsigned int access;
};

#define FAMILY_ANY 0xffffffffu
#define PATH_RULES 128
#define ADDRESS_RULES 64

struct policy {
	uint8_t action[NUMBERS];
	struct path_rule path[PATH_RULES];
	struct address_rule address[ADDRESS_RULES];
	unsigned int paths, addresses;
	unsigned int relative; /* bits of enum access */
	enum action refusal;
};
extern struct policy policy;

/*
 * Reads the policy; its memory must stay. Returns 0, or the number of the first line that is wrong, and then *why says
 * what is.
 */
unsigned int policy_read(const char *text, size_t size, const char **why);

/* Rules: each reads the rest of its line. Returns NULL, or what is wrong. */
typedef const char *rule_read(struct words *words, unsigned int value);

/* policy_calls.c */
rule_read calls_read;
/* Gives calls that no rule names their action. */
void policy_finish(enum action otherwise);
/* Makes the filter that guests get. */
void policy_filter(uint64_t filter[LIMPET_GUEST_FILTER_WORDS]);

/* policy_path.c */
rule_read paths_read, relative_read;
/* Returns whether a path may be used so. It must be normalised, except for a slash at its end. */
bool policy_path(const char *path, unsigned int access);

/* policy_address.c */
rule_read addresses_read;
bool policy_address(enum direction direction, uint32_t family, uint32_t address, uint32_t port);

/* Reads it from a file of the ramdisk. Returns false, and prints why, if guests cannot be served. */
bool policy_load(const struct limpet_info *info);

/* path.c: paths as text. */
/* Removes repeated slashes, `.` and `..` in place, and keeps a slash at the end. Returns the length. */
size_t path_normalise(char *path);

/* page.c: pages that guests see. */
struct copy {
	unsigned int page;
	size_t used;
};

/* Gives the guest a page for its life, if there is one. No other guest sees it any more. */
void page_take(unsigned int id, uint32_t thread, uint32_t process);
/* Takes it away: thread `thread` has ended. */
void page_drop(unsigned int id, uint32_t thread);
/* Takes the page of a guest from the guest's children, which have inherited what it has seen. */
void page_hide_of(word guest);
/*
 * Begins to fill the guest's page, before any of its memory is read: a page belongs to the guest for which
 * executive_read() succeeds after this call. Returns false if it has none. copy_end() must follow.
 */
bool copy_begin(struct copy *copy, unsigned int id);
/* Adds bytes. Returns their address in the guest, or 0 if there is no room. */
word copy_add(struct copy *copy, const void *data, size_t size);
void copy_end(struct copy *copy);
/* The answer to FAULT. */
struct executive_answer page_answer(unsigned int id, word address);

/* A call that is checked. The functions below return 0, REFUSED, or another error for the guest. */
struct call {
	unsigned int id;
	word number;
	word argument[ARGUMENTS];
	unsigned int changed; /* bit n: argument[n] is a new value for Linux */
	struct copy copy;
	char text[PATH_SIZE]; /* the path or address that was checked last */
};

#define REFUSED (-LINUX_EPERM)

/* check.c */
enum check {
	CHECK_NONE,
	CHECK_PATHS,
	CHECK_ADDRESS,
	CHECK_MESSAGE,
	CHECK_RANGE,
};
void checks_init(void);
/* Returns how arguments of a call are checked. */
enum check check_of(word number);
/* Checks the arguments, and changes them to copies. */
long call_check(struct call *call);
/* Sets the argument to the address of a copy of the bytes. */
long argument_copy(struct call *call, unsigned int n, const void *data, size_t size);

/* check_path.c */
void access_init(void);
long paths_check(struct call *call);
/* Checks and normalises the path in call->text. */
long path_check(struct call *call, unsigned int access);

/* check_address.c */
long address_check(struct call *call);
long message_check(struct call *call);

/* check_range.c */
long range_check(const struct call *call);

#endif
