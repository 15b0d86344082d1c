// SPDX-License-Identifier: BSD-2-Clause
#include <import/files.h>
#include <import/mem.h>
#include <import/sched.h>
#include <limpet/files.h>
#include <runtime/component.h>
#include <runtime/memory.h>
#include <runtime/print.h>
#include <runtime/time.h>

#define RW (LIMPET_FILES_READ | LIMPET_FILES_WRITE)
#define LENGTH 100000
#define RETRY_MS 50
#define LETTERS 26

static word at; /* one page for names, then one for data */

static void right(const char *what, bool holds, long status)
{
	limpet_print("%s: %s %ld\n", holds ? "right" : "wrong", what, status);
}

static long open_file(const char *name, word how, word *handle)
{
	memcpy((void *)at, name, strlen(name));
	return files_open(at, strlen(name), how, handle);
}

/* The proxy is started after the system. */
static long open_patiently(const char *name, word how, word *handle)
{
	long status;

	while ((status = open_file(name, how, handle)) == LIMPET_ECRASH || status == LIMPET_ETIME)
		sched_sleep_until(limpet_time() + limpet_us_to_ticks(RETRY_MS * 1000));
	return status;
}

static char pattern(word position)
{
	return (char)('a' + position * 7 % 26 + position / 1000 % 3);
}

static long write_all(word handle)
{
	char *data = (char *)at + LIMPET_PAGE;
	word done = 0;

	while (done < LENGTH) {
		word part = LENGTH - done < 3001 ? LENGTH - done : 3001;
		long count;

		for (word i = 0; i < part; i++)
			data[i] = pattern(done + i);
		count = files_write(handle, done, at + LIMPET_PAGE, part);
		if (count <= 0)
			return count;
		done += (word)count;
	}
	return (long)done;
}

static long read_all(word handle)
{
	const char *data = (const char *)at + LIMPET_PAGE;
	word done = 0;
	long count;

	while ((count = files_read(handle, done, at + LIMPET_PAGE, LIMPET_PAGE, 0)) > 0) {
		for (long i = 0; i < count; i++)
			if (data[i] != pattern(done + (word)i))
				return -1000;
		done += (word)count;
	}
	return count ? count : (long)done;
}

static void try_files(void)
{
	word handle, bytes = 0;
	long status = open_patiently("data/big", RW | LIMPET_FILES_CREATE, &handle);

	right("create", !status, status);
	status = write_all(handle);
	right("write", status == LENGTH, status);
	status = read_all(handle);
	right("read", status == LENGTH, status);
	status = files_size(handle, &bytes);
	right("size", !status && bytes == LENGTH, (long)bytes);
	status = files_close(handle);
	right("close", !status, status);
	status = files_size(handle, &bytes);
	right("closed", status == LIMPET_ENOENT, status);
}

static void try_refusals(void)
{
	static const struct {
		const char *name;
		word how;
		long status;
	} tries[] = {
		{ "data/../secret", LIMPET_FILES_READ, LIMPET_ERANGE },
		{ "data/leak", LIMPET_FILES_READ, LIMPET_ERIGHTS },
		{ "data/away/new", RW | LIMPET_FILES_CREATE, LIMPET_ERIGHTS },
		{ "data/fifo", LIMPET_FILES_READ, LIMPET_ETYPE },
		{ "data", LIMPET_FILES_READ, LIMPET_ETYPE },
		{ "data/none", LIMPET_FILES_READ, LIMPET_ENOENT },
		{ "view/hello", RW, LIMPET_ERIGHTS }, /* refused by the system file */
		{ "log/hello", LIMPET_FILES_WRITE, LIMPET_ERIGHTS }, /* refused by the proxy */
		{ "hidden/x", LIMPET_FILES_READ, LIMPET_ERIGHTS },   /* not in the system file */
		{ "absent/x", LIMPET_FILES_READ, LIMPET_ENOENT },    /* not offered */
		{ "view/hello", LIMPET_FILES_READ, LIMPET_OK },
	};
	word handle;

	for (unsigned int i = 0; i < array_size(tries); i++) {
		long status = open_file(tries[i].name, tries[i].how, &handle);

		right(tries[i].name, status == tries[i].status, status);
		if (!status)
			files_close(handle);
	}
}

static void echo(void)
{
	word handle;
	long status = open_patiently("port", RW, &handle);
	long total = 0, count;

	right("port", !status, status);
	limpet_print("listening\n");
	/* The first request may take longer. */
	while (!(count = files_read(handle, 0, at + LIMPET_PAGE, LIMPET_PAGE, LIMPET_FILES_WAIT)))
		;
	while (count > 0) {
		total += count;
		count = files_write(handle, 0, at + LIMPET_PAGE, (word)count);
		if (count > 0)
			count = files_read(handle, 0, at + LIMPET_PAGE, LIMPET_PAGE,
					   total < LETTERS ? LIMPET_FILES_WAIT : 1000);
	}
	right("echo", !count && total == LETTERS, total);
}

/* Checks open files while the proxy is replaced. */
static void try_other_proxy(void)
{
	word handle, bytes;
	long status = open_file("view/hello", LIMPET_FILES_READ, &handle);

	right("open before", !status, status);
	limpet_print("replace the proxy\n");
	do {
		sched_sleep_until(limpet_time() + limpet_us_to_ticks(RETRY_MS * 1000));
		status = files_size(handle, &bytes);
	} while (!status || status == LIMPET_ETIME);
	right("the proxy went", status == LIMPET_ECRASH || status == LIMPET_ENOENT, status);
	status = open_patiently("view/hello", LIMPET_FILES_READ, &handle);
	right("open after", !status, status);
	status = files_read(handle, 0, at + LIMPET_PAGE, 100, 0);
	right("read after", status == 6, status);
}

void component_main(const struct limpet_info *info)
{
	long status = files_share(2, &at);

	if (!status)
		status = mem_attach(at) == 2 ? 0 : LIMPET_ENOENT;
	right("share", !status, status);
	if (status)
		return;
	if (limpet_arg_number(info, "echo", 0)) {
		echo();
	} else {
		try_files();
		try_refusals();
		try_other_proxy();
	}
	limpet_print("done\n");
}
