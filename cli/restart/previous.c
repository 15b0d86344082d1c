// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cli/common/command.h>
#include <cli/common/json.h>
#include <cli/common/report.h>
#include <cli/restart/previous.h>
#include <cli/restart/printk.h>
#include <cli/common/text.h>
#include <client/device.h>

#define LINE_LENGTH_MAX 1024

void previous_prepare(int fd)
{
	struct limpet_ioc_save save;

	if (!printk_find(&save) || ioctl(fd, LIMPET_IOC_SAVE, &save))
		fprintf(stderr,
			"limpet attach: note: the kernel does not export the address of its log "
			"(/proc/kcore, /sys/kernel/vmcoreinfo): `limpet log --previous` will not "
			"have it\n");
}

/* Returns the whole record, or NULL after it has reported an error. */
static unsigned char *record_read(void)
{
	unsigned char *record = malloc(LIMPET_RECORD_SIZE);
	struct limpet_ioc_keep part = { .buffer = (uintptr_t)record, .size = LIMPET_RECORD_SIZE };
	int fd, error;

	if (!record) {
		report("There is not enough memory: %lu bytes: %s", LIMPET_RECORD_SIZE,
		       strerror(ENOMEM));
		return NULL;
	}
	fd = limpet_open();
	if (fd < 0) {
		report_no_device(fd);
		free(record);
		return NULL;
	}
	error = ioctl(fd, LIMPET_IOC_RECORD, &part) ? errno : 0;
	close(fd);
	if (!error)
		return record;
	free(record);
	if (error == ENOTTY)
		report("Limpet is attached in beside mode. Only beneath mode keeps the log of a Linux that died.");
	else if (error == ENODATA)
		report("No Linux has died since Limpet was attached.");
	else
		report("%s: %s", LIMPET_DEVICE, strerror(error));
	return NULL;
}

static void parts_find(const unsigned char *record, struct printk_saved *saved)
{
	const struct limpet_record *head = (const void *)record;
	size_t at = sizeof(*head);

	*saved = (struct printk_saved){ 0 };
	for (uint64_t i = 0; i < head->save.count && i < PRINTK_PARTS; i++) {
		if (head->save.part[i].size > LIMPET_RECORD_SIZE - at)
			return;
		saved->part[i].data = record + at;
		saved->part[i].size = head->save.part[i].size;
		at += saved->part[i].size;
	}
}

static void print_head(const struct limpet_record *record)
{
	printf("The Linux before this one ended on CPU %" PRIu64
	       " because %s, at time stamp %" PRIu64 "\n\n",
	       record->cpu, limpet_death_words((unsigned int)record->death), record->ticks);
	printf("rip %016" PRIx64 "  rsp %016" PRIx64 "  rflags %08" PRIx64 "\n", record->ip,
	       record->sp, record->flags);
	printf("cr0 %016" PRIx64 "  cr2 %016" PRIx64 "  cr3 %016" PRIx64 "  cr4 %016" PRIx64 "\n",
	       record->cr0, record->cr2, record->cr3, record->cr4);
	printf("rax %016" PRIx64 "  rbx %016" PRIx64 "  rcx %016" PRIx64 "  rdx %016" PRIx64 "\n",
	       record->ax, record->bx, record->cx, record->dx);
	printf("rsi %016" PRIx64 "  rdi %016" PRIx64 "  rbp %016" PRIx64 "  r8  %016" PRIx64 "\n",
	       record->si, record->di, record->bp, record->r8);
	printf("r9  %016" PRIx64 "  r10 %016" PRIx64 "  r11 %016" PRIx64 "  r12 %016" PRIx64 "\n",
	       record->r9, record->r10, record->r11, record->r12);
	printf("r13 %016" PRIx64 "  r14 %016" PRIx64 "  r15 %016" PRIx64 "\n\n", record->r13,
	       record->r14, record->r15);
}

/* Prints one message. It can have several lines, and lack a final line break. */
static void print_line(void *to, unsigned long us, const char *text, size_t length)
{
	char copy[LINE_LENGTH_MAX + 1];
	bool json = *(bool *)to;
	struct json out;

	if (length > LINE_LENGTH_MAX)
		length = LINE_LENGTH_MAX;
	memcpy(copy, text, length);
	copy[length] = 0;
	if (json) {
		json_begin(&out, stdout);
		json_real(&out, "time", (double)us / 1e6);
		json_text(&out, "text", copy);
		json_end(&out);
		return;
	}
	printf("[%5lu.%06lu] ", us / 1000000, us % 1000000);
	text_print_safely(stdout, copy, length);
	putchar('\n');
}

static void json_head(const struct limpet_record *record)
{
	struct json json;

	json_begin(&json, stdout);
	json_text(&json, "ended_since", limpet_death_words((unsigned int)record->death));
	json_number(&json, "ticks", record->ticks);
	json_number(&json, "cpu", record->cpu);
	json_number(&json, "rip", record->ip);
	json_number(&json, "rsp", record->sp);
	json_number(&json, "cr2", record->cr2);
	json_number(&json, "cr3", record->cr3);
	json_end(&json);
}

int previous_print(bool json)
{
	unsigned char *record = record_read();
	struct printk_saved saved;
	int code = COMMAND_OK;

	if (!record)
		return COMMAND_REFUSED;
	if (json)
		json_head((const void *)record);
	else
		print_head((const void *)record);
	parts_find(record, &saved);
	if (!saved.part[PRINTK_TEXT].data)
		code = report(
			"The place of its log is unknown, because `limpet attach` was not run in that Linux.");
	else if (printk_read(&saved, print_line, &json) < 0)
		code = report("Its log is damaged.");
	free(record);
	return code;
}
