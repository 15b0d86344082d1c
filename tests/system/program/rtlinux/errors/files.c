// SPDX-License-Identifier: GPL-2.0
/* Tests errors of FIFOs, files, buffers, message queues and interrupts. The module has the buffer "area" of 4 KiB. */
#include <rtl.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/sched.h>
#include <mbuff.h>
#include <mqueue.h>
#include <rtl_core.h>
#include <rtl_fifo.h>
#include <rtl_posixio.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "errors.h"

static void buffers(void)
{
	void *memory = 0, *same;

	expect(shm_allocate("area", 100, &memory) == 100 && memory, "shm_allocate");
	same = mbuff_attach("area", 4096);
	expect(same == memory, "mbuff_attach of the same name");
	mbuff_detach("area", same);
	strcpy(memory, "kept");
	expect(shm_allocate("area", 4097, &same) == -ENOMEM && !same, "a buffer that is too large");
	expect(shm_allocate("none", 100, &same) == -ENOMEM, "a buffer that does not exist");
	expect(!mbuff_alloc("area", 0) && !mbuff_alloc("area", -1), "a buffer without a size");
	expect(shm_deallocate(0) == -EINVAL && shm_deallocate(memory) == 0, "shm_deallocate");
	mbuff_free("area", memory);
	expect(!strcmp(memory, "kept"), "the memory stays");
}

static int nothing(unsigned int fifo)
{
	return 0;
}

static int answer_nothing(unsigned int fifo, unsigned int command, unsigned long argument)
{
	return 0;
}

static void fifos(void)
{
	char byte = 0;

	expect(rtf_create(64, 100) == -ENODEV && rtf_create(0, 0) == -ENOMEM &&
		       rtf_create(0, 1 << 30) == -ENOMEM && rtf_create(40, 1 << 17) == -ENOMEM,
	       "rtf_create");
	expect(rtf_destroy(64) == -ENODEV && rtf_destroy(0) == -EINVAL &&
		       rtf_destroy(40) == -EINVAL,
	       "rtf_destroy");
	expect(rtf_put(0, &byte, 1) == -EINVAL && rtf_get(0, &byte, 1) == -EINVAL &&
		       rtf_resize(0, 100) == -EINVAL && rtf_create_handler(0, nothing) == -EINVAL &&
		       rtf_create_rt_handler(0, nothing) == -EINVAL,
	       "a FIFO that is not created");
	expect(rtf_put(40, &byte, 1) == -EINVAL && rtf_get(40, &byte, 1) == -EINVAL &&
		       rtf_resize(40, 100) == -EINVAL && rtf_make_user_pair(40, 41) == -EINVAL,
	       "a FIFO between threads that is not created");
	expect(rtf_create(0, 100) == 0 && rtf_create(0, 100) == -EBUSY &&
		       rtf_create(40, 100) == 0 && rtf_create(40, 100) == -EBUSY,
	       "rtf_create again");
	expect(rtf_put(0, &byte, -1) == -EINVAL && rtf_get(0, &byte, -1) == -EINVAL &&
		       rtf_resize(0, 1 << 30) == -ENOMEM && rtf_resize(40, 1 << 17) == -ENOMEM &&
		       rtf_resize(40, -1) == -EINVAL,
	       "sizes of FIFOs");
	expect(rtf_create_handler(0, 0) == -EINVAL && rtf_create_handler(64, nothing) == -EINVAL &&
		       rtf_create_rt_handler(0, 0) == -EINVAL,
	       "rtf_create_handler");
	expect(rtf_link_user_ioctl(40, answer_nothing) == 0 && rtf_link_user_ioctl(40, 0) == 0 &&
		       rtf_link_user_ioctl(64, 0) == -ENODEV,
	       "rtf_link_user_ioctl");
	expect(rtf_isempty(0) && !rtf_isused(0) && rtf_destroy(0) == 0 && rtf_destroy(40) == 0,
	       "rtf_destroy");
}

static struct rtl_file_operations none;

static void files(void)
{
	int all[16], more, i;
	char byte;

	fails(open("/dev/rtf5", O_RDWR), EACCES, "open without O_NONBLOCK");
	fails(open("/dev/rtf5", O_RDWR | O_NONBLOCK), EUNATCH,
	      "open of a FIFO that is not created");
	fails(open("/dev/rtf64", O_NONBLOCK | O_CREAT), ENOENT, "open of a number above 63");
	fails(open("/dev/none", O_NONBLOCK), ENOENT, "open of an unknown device");
	fails(open("/tmp/rtf5", O_NONBLOCK), ENOENT, "open of an unknown path");
	for (i = 0; i < 16; i++)
		all[i] = open("/dev/rtf5", O_NONBLOCK | O_CREAT);
	expect(all[0] == 1 && all[15] == 16, "16 open files");
	fails(open("/dev/rtf5", O_NONBLOCK), ENOMEM, "more than 16 open files");
	fails(lseek(all[0], 0, SEEK_SET), ESPIPE, "lseek of a FIFO");
	fails(ioctl(all[0], RTF_SETSIZE, 0), EINVAL, "RTF_SETSIZE of 0");
	expect(ioctl(all[0], RTF_SETSIZE, 64) == 0 && rtl_get_minor(all[3]) == 5, "RTF_SETSIZE");
	expect(read(all[0], &byte, 1) == 0, "read of an empty FIFO");
	for (i = 0; i < 16; i++)
		expect(close(all[i]) == 0, "close");
	fails(close(all[0]), EBADF, "close again");
	fails(close(-1), EBADF, "close of no file");
	fails(lseek(all[0], 0, SEEK_SET), EBADF, "lseek of no file");
	fails(ioctl(0, RTF_SETSIZE, 64), EBADF, "ioctl of no file");
	fails(rtl_get_minor(17), EBADF, "rtl_get_minor of no file");
	expect(rtl_register_rtldev(256, "none", &none) == -EINVAL &&
		       rtl_register_rtldev(RTF_MAJOR, "none", &none) == -EBUSY &&
		       rtl_unregister_rtldev(200, "none") == -EINVAL &&
		       rtl_unregister_rtldev(RTF_MAJOR, "none") == -EINVAL,
	       "rtl_register_rtldev");
	for (i = 0; i < 15; i++)
		expect(rtl_register_rtldev(i, "none", &none) == 0, "15 devices");
	expect(rtl_register_rtldev(15, "none", &none) == -EBUSY, "more than 15 devices");
	more = open("/dev/none", 0);
	fails(read(more, &byte, 1), EINVAL, "read of a device without it");
	fails(write(more, &byte, 1), EINVAL, "write of a device without it");
	fails(ioctl(more, 1, 0), EINVAL, "ioctl of a device without it");
	close(more);
	for (i = 0; i < 15; i++)
		expect(rtl_unregister_rtldev(i, "none") == 0, "rtl_unregister_rtldev");
	expect(rtf_destroy(5) == 0, "the FIFO of open");
	expect(mprotect(0, 0, PROT_READ) == 0 && msync(0, 0, 0) == 0 && mlock(0, 0) == 0 &&
		       munlock(0, 0) == 0 && munlockall() == 0,
	       "sys/mman.h");
}

static void queues(void)
{
	struct mq_attr form = { .mq_maxmsg = 1, .mq_msgsize = 8 };
	struct sigevent event = { SIGEV_SIGNAL, RTL_SIGUSR1 };
	mqd_t all[64];
	char name[8];
	int i;

	for (i = 0; i < 32; i++) {
		snprintf(name, sizeof(name), "/q%d", i);
		all[i] = mq_open(name, O_RDWR | O_CREAT, 0600, &form);
		expect(all[i] >= 0, "32 queues");
	}
	fails(mq_open("/more", O_RDWR | O_CREAT, 0600, &form), ENFILE, "more than 32 queues");
	for (; i < 64; i++)
		all[i] = mq_open("/q0", O_RDWR);
	expect(all[63] >= 0, "64 descriptors");
	fails(mq_open("/q0", O_RDWR), EMFILE, "more than 64 descriptors");
	fails(mq_unlink("/a-name-of-more-than-thirty-two-letters"), ENAMETOOLONG, "a long name");
	fails(mq_unlink("/"), ENOENT, "no name");
	for (i = 0; i < 32; i++) {
		snprintf(name, sizeof(name), "/q%d", i);
		expect(mq_unlink(name) == 0, "mq_unlink");
	}
	for (i = 0; i < 64; i++)
		expect(mq_close(all[i]) == 0, "mq_close");
	fails(mq_getattr(all[0], &form), EBADF, "mq_getattr of a closed queue");
	fails(mq_setattr(all[0], &form, 0), EBADF, "mq_setattr of a closed queue");
	fails(mq_notify(all[0], &event), EBADF, "mq_notify of a closed queue");
	fails(mq_receive(all[0], name, sizeof(name), 0), EBADF, "mq_receive of a closed queue");
	fails(mq_send(-1, name, 1, 0), EBADF, "mq_send to no queue");
}

static void of_linux(int irq, void *device, struct pt_regs *regs)
{
}

static unsigned int of_module(unsigned int irq, struct pt_regs *regs)
{
	return 0;
}

static void interrupts(void)
{
	unsigned long mask = 1, old = 7;

	expect(rtl_irq_set_affinity(3, &mask, &old) == -1 && old == 7, "rtl_irq_set_affinity");
	expect(request_irq(3, of_linux, SA_INTERRUPT, "errors", 0) == -EBUSY,
	       "request_irq of a line of others");
	expect(request_irq(NR_IRQS, of_linux, 0, "errors", 0) == -EINVAL &&
		       request_irq(3, 0, 0, "errors", 0) == -EINVAL,
	       "request_irq");
	free_irq(3, 0);
	free_irq(NR_IRQS, 0);
	expect(rtl_request_global_irq(3, of_module) == -EBUSY &&
		       rtl_free_global_irq(3) == -EINVAL && rtl_free_irq(NR_IRQS) == -EINVAL &&
		       free_RTirq(NR_IRQS) == -EINVAL,
	       "rtl_request_global_irq");
	rtl_hard_disable_irq(3);
	rtl_hard_enable_irq(3);
	rtl_global_pend_irq(-1);
	expect(rtl_global_ispending_irq(3) == 0 && rtl_global_ispending_irq(-1) == 0,
	       "rtl_global_ispending_irq");
	errno = 0;
}

void files_test(void)
{
	buffers();
	fifos();
	files();
	queues();
	interrupts();
}
