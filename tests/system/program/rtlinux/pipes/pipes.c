// SPDX-License-Identifier: GPL-2.0
/*
 * An RTLinux module that communicates with Linux. A handler reads FIFO 1 and answers through FIFO 2. A thread puts
 * samples into FIFO 3. A soft interrupt runs in the Linux context. For each command s of a process, a thread pends
 * another soft interrupt, whose handler answers the process through FIFO 4. The command q destroys FIFO 3.
 */
#include <rtl.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <rtl_fifo.h>
#include <rtl_sched.h>
#include <mbuff.h>
#include <semaphore.h>
#include <unistd.h>

#define COMMANDS 1
#define ANSWERS 2
#define SAMPLES 3
#define SOFT_ANSWERS 4
#define SIZE 4096

static int wrong, answered, softs, moves, soft, soft_asked;
static pthread_t sampler, pender;
static sem_t asked;

static void expect(int holds, const char *what)
{
	if (!holds) {
		wrong++;
		rtl_printf("wrong: %s\n", what);
	}
}

/* Reads at most five bytes, so ten bytes are answered only if the library calls the handler twice. */
static int answer(unsigned int fifo)
{
	char text[5];
	int n, i;

	n = rtf_get(fifo, text, sizeof(text));
	if (n <= 0)
		return 0;
	if (text[0] == 'q') {
		expect(pthread_join(sampler, 0) == 0, "pthread_join");
		expect(softs == 1, "one soft interrupt");
		expect(rtf_destroy(SAMPLES) == 0, "rtf_destroy");
		rtl_printf("quit, %d answered, %d wrong\n", answered, wrong);
		return 0;
	}
	if (text[0] == 's') {
		sem_post(&asked);
		return 0;
	}
	for (i = 0; i < n; i++)
		text[i] -= 'a' - 'A';
	expect(pthread_self() == pthread_linux(), "a handler runs in the Linux context");
	expect(rtf_put(ANSWERS, text, n) == n, "rtf_put of an answer");
	answered++;
	return 0;
}

static int moved(unsigned int fifo)
{
	moves += fifo == SAMPLES;
	return 0;
}

static void soft_handler(int irq, void *nothing, struct pt_regs *regs)
{
	softs += irq == soft;
	rtl_printf("soft interrupt\n");
}

static void soft_answer(int irq, void *nothing, struct pt_regs *regs)
{
	expect(irq == soft_asked && pthread_self() == pthread_linux(),
	       "a soft interrupt's handler");
	expect(rtf_put(SOFT_ANSWERS, "S", 1) == 1, "rtf_put in a soft interrupt");
}

static void *pend(void *arg)
{
	for (;;) {
		sem_wait(&asked);
		rtl_global_pend_irq(soft_asked);
	}
	return arg;
}

static void *sample(void *arg)
{
	char text[4];
	int i;

	pthread_make_periodic_np(pthread_self(), gethrtime(), 1000000);
	for (i = 0; i < 100; i++) {
		pthread_wait_np();
		sprintf(text, "%03d", i);
		text[3] = '\n';
		expect(rtf_put(SAMPLES, text, 4) == 4, "rtf_put of a sample");
	}
	expect(moves == 100, "the handler of the module's own calls");
	rtl_global_pend_irq(soft);
	return arg;
}

static void errors(void)
{
	static char data[SIZE + 1];

	expect(rtf_create(64, SIZE) == -ENODEV, "a FIFO above 63");
	expect(rtf_create(COMMANDS, SIZE) == -EBUSY, "a FIFO that is created");
	expect(rtf_create(4, 0) == -ENOMEM && rtf_create(4, 1 << 20) == -ENOMEM, "sizes of a FIFO");
	expect(rtf_put(4, data, 1) == -EINVAL && rtf_get(4, data, 1) == -EINVAL,
	       "a FIFO that is not created");
	expect(rtf_put(ANSWERS, data, SIZE + 1) == -ENOSPC && rtf_isempty(ANSWERS),
	       "rtf_put puts in all bytes or none");
	expect(rtf_put(ANSWERS, data, SIZE) == SIZE && !rtf_isempty(ANSWERS), "a full FIFO");
	expect(rtf_put(ANSWERS, data, 1) == -ENOSPC, "rtf_put into a full FIFO");
	expect(rtf_flush(ANSWERS) == 0 && rtf_isempty(ANSWERS), "rtf_flush");
	expect(rtf_get(COMMANDS, data, 10) == 0, "rtf_get of an empty FIFO");
	expect(rtf_create_handler(4, answer) == -EINVAL &&
		       rtf_create_handler(COMMANDS, 0) == -EINVAL,
	       "rtf_create_handler");
	expect(rtf_destroy(4) == -EINVAL && rtf_destroy(70) == -ENODEV, "rtf_destroy");
	expect(rtf_link_user_ioctl(COMMANDS, 0) == 0, "rtf_link_user_ioctl without a handler");
}

static void files(void)
{
	char text[8];
	int file;

	expect(open("/dev/mem", O_RDWR | O_NONBLOCK) == -1 && errno == ENOENT, "open of memory");
	expect(open("/dev/rtf1", O_RDWR) == -1 && errno == EACCES, "open without O_NONBLOCK");
	expect(open("/dev/rtf5", O_RDWR | O_NONBLOCK) == -1 && errno == EUNATCH,
	       "open of a FIFO that is not created");
	file = open("/dev/rtf5", O_RDWR | O_CREAT | O_NONBLOCK);
	expect(file == 1, "the first descriptor");
	expect(write(file, "12345678", 8) == 8 && read(file, text, 8) == 0, "write and read");
	expect(ioctl(file, RTF_SETSIZE, 4) == 0 && write(file, text, 8) == -1 && errno == ENOSPC,
	       "RTF_SETSIZE");
	expect(lseek(file, 0, SEEK_SET) == -1 && errno == ESPIPE, "lseek");
	expect(close(file) == 0 && close(file) == -1 && errno == EBADF, "close");
	expect(rtf_destroy(5) == 0, "rtf_destroy of an open FIFO's number");
}

static void buffers(void)
{
	char *area = mbuff_alloc("The_Area", 4096), *again = mbuff_attach("The_Area", 100);

	expect(area && area == again, "a buffer by its name");
	expect(!mbuff_alloc("other", 100), "a buffer that does not exist");
	if (area)
		strcpy(area, "from the module");
	mbuff_detach("The_Area", again);
}

int init_module(void)
{
	expect(rtf_create(COMMANDS, SIZE) == 0 && rtf_create(ANSWERS, SIZE) == 0, "rtf_create");
	errors();
	files();
	buffers();
	rtf_destroy(SAMPLES);
	expect(rtf_create(SAMPLES, SIZE) == 0, "rtf_create after rtf_destroy");
	expect(rtf_create_handler(COMMANDS, answer) == 0, "rtf_create_handler");
	expect(rtf_create_rt_handler(SAMPLES, moved) == 0, "rtf_create_rt_handler");
	soft = rtl_get_soft_irq(soft_handler, "pipes");
	soft_asked = rtl_get_soft_irq(soft_answer, "asked");
	expect(soft > 0 && soft_asked > 0, "rtl_get_soft_irq");
	expect(rtf_create(SOFT_ANSWERS, 64) == 0 && sem_init(&asked, 0, 0) == 0, "soft answers");
	expect(pthread_create(&pender, 0, pend, 0) == 0, "pthread_create of the pender");
	expect(pthread_create(&sampler, 0, sample, 0) == 0, "pthread_create");
	rtl_printf("init done, %d wrong\n", wrong);
	return 0;
}

void cleanup_module(void)
{
}
