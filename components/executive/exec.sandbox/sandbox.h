/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A sandbox for guests. The policy is a TOML file of the ramdisk, which docs/guide/executives.md describes. The composer
 * (tools/compose/sandbox.py) checks it, and the ramdisk of the image has the rules as lines of words instead. Without
 * valid rules the executive does not serve guests.
 *
 *   default ACTION           the action for calls without a rule. ACTION is allow, deny (they fail with EPERM) or kill
 *                            (the process ends by SIGSYS). Default: deny
 *   allow CALL ...           allows these calls. `deny` and `kill` have the same form
 *   read PATH ...            allows to read files with these names, or below these folders. `write` and `execute` also
 *                            allow to read. Paths are absolute
 *   relative ACCESS ...      allows paths relative to the working folder for read, write, execute. They must not lead
 *                            upwards. The guest can only change to working folders for which all these accesses are
 *                            allowed
 *   connect FAMILY [A.B.C.D[/BITS] [PORT]]
 *                            allows to connect and send to addresses. `bind` is similar. FAMILY is unix, inet, inet6,
 *                            netlink, any or a number. The path of a unix socket must also be allowed for write
 *   refusal deny|kill        the action for a path or address that no rule allows. Default: deny
 *
 * A path or address cannot change after the check. The executive copies it once into its own page and checks the
 * normalised form there. Linux gets the address of the copy. Guests see the page at RANGE and cannot write to it. The
 * executive refuses calls that would change the mapping there. It sets the filter of each guest, which has all calls
 * except those that are allowed with all arguments. 32-bit calls fail.
 *
 * The sandbox has these limits. Take them into account in the policy, or use additional means of Linux:
 *   - The executive checks names, not files. It does not check where an existing symbolic link leads. A guest can only
 *     make links whose target it may write. Below /proc, components named root and cwd are refused.
 *   - A guest cannot remove or replace a rule's own path, unless another rule has `write` for the folder above. It can
 *     remove and replace paths below. It cannot make device nodes.
 *   - A guest can change the mode, owner, times and attributes of each file that it may open for read, by fchmod(),
 *     fchown(), futimens() and fsetxattr(), as far as Linux allows it. Use `deny` for these calls.
 *   - The working folder at the start of a guest is not checked.
 *   - Paths relative to a descriptor of a folder are allowed for read only, and fchdir() only if `relative` allows no more
 *     than read, because the executive does not know the folder's name.
 *   - File descriptors that the guest has from the start, or receives through sockets, are not checked.
 *   - An interpreter or the dynamic linker can execute any readable file. Interpreters of scripts are not checked.
 *   - Calls that undermine these rules are refused unless a rule `allow` names them. policy_calls.c lists them, such as
 *     io_uring_setup, ptrace, mount and sendmmsg. Calls that are not in the table of lib/guest cannot be allowed.
 *   - A policy with `write` for /proc lets a guest change the memory of other processes of the same user.
 *   - listen() on a socket without an address binds it to a free port on all addresses. No rule `bind` is needed. SCTP
 *     sockets are refused.
 *   - A guest can send input to the terminal of its own file descriptors (TIOCSTI), if Linux allows it.
 *   - A child process can see the paths that other threads of its parent use.
 *   - Processes that are attached while they run are released, because their other threads could change mappings. For
 *     the same reason a program must enter before it has several threads. A second thread that enters kills it.
 *     Guests that were started with LIMPET_GUEST_ALONE or LIMPET_GUEST_OPEN leave the sandbox with their children, or
 *     when the system ends. Use `limpet guest run`.
 * PAGES guests can use paths and addresses at the same time. Such calls of further guests fail with ENOMEM.
 */
#ifndef SANDBOX_SANDBOX_H
#define SANDBOX_SANDBOX_H

#include <executive/executive.h>
#include <executive/linux.h>
#include <executive/rules.h>
#include <runtime/text.h>

#define NUMBERS 512 /* numbers of calls, of which the last one also represents all higher numbers */
#define PATH_SIZE 4096
#define ARGUMENTS 6

#define PAGES 1024
#define RANGE 0x680000000000ul
#define RANGE_BYTES (PAGES * (word)LIMPET_PAGE)

/* state.c: the policy that policy_load() has read. */
enum action {
	ACTION_ALLOW,
	ACTION_DENY,
	ACTION_KILL,
	ACTION_UNNAMED = 0xff, /* no action until policy_finish() */
};

enum access {
	ACCESS_READ = 1,
	ACCESS_WRITE = 2,
	ACCESS_EXECUTE = 4,
	ACCESS_NAME = 8, /* remove or replace it. A rule with `write` grants this below its path */
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
	const char *text; /* text in the policy, without a final 0 */
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
	bool proc;	       /* a rule allows paths in /proc */
	enum action refusal;
};
extern struct policy policy;

/* policy.c */
/*
 * Reads the policy, whose memory must stay valid. Returns 0, or the number of the first invalid line with the reason in
 * *why.
 */
unsigned int policy_read(const char *text, size_t size, const char **why);
/* Reads the policy from a file of the ramdisk. Returns false, and prints the reason, if guests cannot be served. */
bool policy_load(const struct limpet_info *info);

/* Reads the rest of a rule's line. Returns NULL, or the reason why it is invalid. */
typedef const char *rule_read(struct words *words, unsigned int value);

/* policy_calls.c */
rule_read calls_read;
/* Sets the action of calls without a rule. */
void policy_finish(enum action otherwise);
/* Makes the filter that guests get. */
void policy_filter(uint64_t filter[LIMPET_GUEST_FILTER_WORDS]);

/* policy_path.c */
rule_read paths_read, relative_read;
/*
 * Returns whether the policy allows this access to a path. The path must be normalised, except for a slash at its end.
 */
bool policy_path(const char *path, unsigned int access);

/* policy_address.c */
rule_read addresses_read;
bool policy_address(enum direction direction, uint32_t family, uint32_t address, uint32_t port);

/* path.c: paths as text. */
/* Removes repeated slashes, `.` and `..` in place, and keeps a slash at the end. Returns the length. */
size_t path_normalise(char *path);

/* page.c: pages that guests see. */
struct copy {
	unsigned int page;
	size_t used;
};

/* Assigns a page to the guest, if one is free. Other guests no longer see this page. */
void page_take(unsigned int id, uint32_t thread, uint32_t process);
/* Releases the guest's page, because thread `thread` has ended. */
void page_drop(unsigned int id, uint32_t thread);
/* Unmaps the page of a guest in the guest's children, which have inherited its mappings. */
void page_hide_of(word guest);
/*
 * Starts to fill the guest's page. Must be called before any of the guest's memory is read: if executive_read()
 * succeeds after this call, the page belongs to the guest. Returns false if the guest has no page. Otherwise copy_end()
 * must follow.
 */
bool copy_begin(struct copy *copy, unsigned int id);
/* Adds bytes. Returns their address in the guest, or 0 if the space is not sufficient. */
word copy_add(struct copy *copy, const void *data, size_t size);
void copy_end(struct copy *copy);
/* Returns the answer to FAULT. */
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

/* argument.c */
/* Sets the argument to the address of a copy of the bytes. */
long argument_copy(struct call *call, unsigned int n, const void *data, size_t size);
/*
 * Sets the guest's registers to the new arguments. Must be called after all arguments have been checked, so that a
 * refused call has not changed anything.
 */
long arguments_set(const struct call *call);

/* check.c */
enum check {
	CHECK_NONE,
	CHECK_PATHS,
	CHECK_ADDRESS,
	CHECK_MESSAGE,
	CHECK_RANGE,
	CHECK_FOLDER,
	CHECK_SOCKET,
};
void checks_init(void);
/* Returns the kind of check for the arguments of a call. */
enum check check_of(word number);
/* Checks the arguments, and replaces them by copies. */
long call_check(struct call *call);

/* check_path.c */
void access_init(void);
long paths_check(struct call *call);
/* Checks and normalises the path in call->text. */
long path_check(struct call *call, unsigned int access);
/* Checks fchdir(), whose folder has no name in the call. */
long folder_check(void);

/* check_address.c */
long address_check(struct call *call);
long message_check(struct call *call);
/* Refuses sockets that connect and bind without a call that is checked. */
long socket_check(struct call *call);

/* check_range.c */
long range_check(const struct call *call);

#endif
