// SPDX-License-Identifier: GPL-2.0
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <limpet/device.h>

#include <cli/common/command.h>
#include <cli/common/kernel_log.h>
#include <cli/common/module.h>
#include <cli/common/module_file.h>
#include <cli/common/report.h>
#include <cli/common/text.h>

#define MODULE_INIT_COMPRESSED_FILE 4 /* from <linux/module.h>, which musl lacks */
#define NAME_MODULE "Name limpet.ko, or build it with `make module`."
#define DEVICE_NUMBER "/sys/class/misc/limpet/dev"

static void pause_ms(long ms)
{
	struct timespec pause = { .tv_nsec = ms * 1000000 };

	nanosleep(&pause, NULL);
}

bool module_is_loaded(void)
{
	return !access("/sys/module/" MODULE_NAME, F_OK);
}

/* DKMS compresses a module if the kernel's own modules are compressed. Such a kernel also decompresses it. */
static const char *const suffixes[] = { "", ".xz", ".zst", ".gz" };

bool module_search(char *path, size_t size)
{
	static const char *const places[] = {
		"/lib/modules/%s/updates/limpet.ko",
		"/lib/modules/%s/updates/dkms/limpet.ko",
		"/lib/modules/%s/extra/limpet.ko",
	};
	struct utsname name;

	uname(&name);
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		for (size_t j = 0; j < sizeof(suffixes) / sizeof(*suffixes); j++) {
			int length = snprintf(path, size, places[i], name.release);

			snprintf(path + length, size - (size_t)length, "%s", suffixes[j]);
			if (!access(path, R_OK))
				return true;
		}
	return false;
}

/* Returns whether a file is a module for x86-64, or reports that it is not. The kernel checks a compressed file. */
static bool module_is_sound(const char *path)
{
	struct module_file file;
	size_t size = 0;
	bool elf, described;

	if (file_decompressor(path))
		return true;
	elf = module_file_open(&file, path);
	described = elf && module_file_section(&file, ".modinfo", 1, &size);
	if (elf)
		module_file_close(&file);
	if (described)
		return true;
	report("%s: The file is not a kernel module%s. " NAME_MODULE, path,
	       elf ? ", because it has no section .modinfo" : " for x86-64");
	return false;
}

bool module_find(const char *given, char *path, size_t size)
{
	struct utsname name;

	if (given) {
		snprintf(path, size, "%s", given);
		if (!access(path, R_OK))
			return module_is_sound(path);
		report("%s: %s. " NAME_MODULE, path, strerror(errno));
		return false;
	}
	if (module_search(path, size))
		return true;
	uname(&name);
	report("There is no limpet.ko in /lib/modules/%s/updates or its extra. "
	       "Install it, or name one with --module.",
	       name.release);
	return false;
}

/* Finds the release in the text "vermagic=RELEASE ..." of a module. Returns false if the text is missing. */
static bool vermagic_find(const char *bytes, size_t size, char *release, size_t max)
{
	static const char word[] = "vermagic=";
	const char *at = memmem(bytes, size, word, sizeof(word) - 1);
	size_t length = 0;

	if (!at)
		return false;
	at += sizeof(word) - 1;
	while (at + length < bytes + size && at[length] > ' ' && length + 1 < max)
		length++;
	memcpy(release, at, length);
	release[length] = 0;
	return length;
}

bool module_release(const char *path, char *release, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat stat;
	void *bytes;
	bool found;

	if (fd < 0)
		return false;
	bytes = fstat(fd, &stat) || stat.st_size < SELFMAG
			? MAP_FAILED
			: mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (bytes == MAP_FAILED)
		return false;
	found = !memcmp(bytes, ELFMAG, SELFMAG) &&
		vermagic_find(bytes, (size_t)stat.st_size, release, size);
	munmap(bytes, (size_t)stat.st_size);
	return found;
}

/* Returns the reason for ENOEXEC. Linux returns it both for a module of another kernel and for any other file. */
static const char *format_words(const char *path, char *words, size_t size)
{
	static const char refused[] = "Linux refuses the module's format. See `dmesg`.";
	char release[128];
	struct utsname name;

	if (file_decompressor(path))
		return refused;
	if (!module_release(path, release, sizeof(release)))
		return "The file is not a kernel module. " NAME_MODULE;
	uname(&name);
	if (!strcmp(release, name.release))
		return refused;
	snprintf(
		words, size,
		"The module was built for kernel %s, but %s runs. Build it against the headers of %s.",
		release, name.release, name.release);
	return words;
}

/* Returns whether an error is about the file's format. Linux returns EINVAL for an empty file, and for other reasons. */
static bool is_about_format(const char *path, int error)
{
	char release[128];

	return error == ENOEXEC || (error == EINVAL && !file_decompressor(path) &&
				    !module_release(path, release, sizeof(release)));
}

#define ENROL "See `limpet doctor`, and limpet-attach(1) on how to enrol a key."

/* Returns the meaning of an error from loading a module. For some errors errno's own text would mislead. */
static const char *load_error_words(int error)
{
	switch (error) {
	case EPERM:
		return geteuid()
			       ? "Loading modules is not permitted. Run the command as root."
			       : "Linux does not load the module. Either the kernel is locked down and does "
				 "not trust the module's signature, or kernel.modules_disabled is set. " ENROL;
	case ENOKEY:
	case EKEYREJECTED:
		return "The module has no signature, or Linux does not trust its key. " ENROL;
	case EOPNOTSUPP:
		return "This kernel does not load compressed modules. Decompress the module.";
	case ENOENT:
		return "The kernel lacks a symbol that the module needs. See `dmesg` and `limpet doctor`.";
	case EEXIST:
		return "The module is loaded already. Run `limpet detach` to unload it.";
	default:
		return strerror(error);
	}
}

int module_load(const char *path, const char *parameters)
{
	char reason[REPORT_LINE], words[REPORT_LINE];
	int log = kernel_log_open();
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int flags = file_decompressor(path) ? MODULE_INIT_COMPRESSED_FILE : 0;
	long result = fd < 0 ? -1 : syscall(SYS_finit_module, fd, parameters, flags);
	int error = errno;

	if (fd >= 0)
		close(fd);
	if (result && kernel_log_find(log, "limpet: refused: ", reason, sizeof(reason)))
		report("The module refused: %s", reason);
	else if (result)
		report("%s: %s", path,
		       is_about_format(path, error) ? format_words(path, words, sizeof(words))
						    : load_error_words(error));
	kernel_log_close(log);
	return result ? COMMAND_REFUSED : COMMAND_OK;
}

/* Creates the device's node, because without devtmpfs no other program creates it. */
static void make_node(void)
{
	unsigned int major;
	unsigned int minor;
	char text[32];

	if (!text_read("", DEVICE_NUMBER, text, sizeof(text)) ||
	    sscanf(text, "%u:%u", &major, &minor) != 2)
		return;
	mkdir(LIMPET_FOLDER, 0755);
	mknod(LIMPET_DEVICE, S_IFCHR | 0600, makedev(major, minor));
}

bool module_wait_device(void)
{
	for (int i = 0; i < 200; i++) {
		if (!access(LIMPET_DEVICE, F_OK))
			return true;
		if (i >= 50)
			make_node();
		pause_ms(10);
	}
	report("%s does not appear. See `dmesg`.", LIMPET_DEVICE);
	return false;
}
