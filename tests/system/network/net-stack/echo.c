// SPDX-License-Identifier: GPL-2.0
/*
 * echo ADDRESS PORT COUNT: sends COUNT datagrams of all sizes up to an Ethernet frame's, each with different content.
 * It expects each one back unchanged within ten seconds. One in a hundred may be lost.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#define LENGTH_MAX 1472

static unsigned char out[LENGTH_MAX], in[LENGTH_MAX + 1];

/* Returns whether the datagram returned. A changed datagram ends the program. */
static int exchange(int fd, unsigned int number, size_t length)
{
	ssize_t got;

	for (size_t i = 0; i < length; i++)
		out[i] = (unsigned char)rand();
	memcpy(out, &number, length < sizeof(number) ? length : sizeof(number));
	if (send(fd, out, length, 0) != (ssize_t)length)
		return 0;
	got = recv(fd, in, sizeof(in), 0);
	if (got < 0)
		return 0;
	if ((size_t)got != length || memcmp(in, out, length)) {
		printf("datagram %u of %zu bytes came back as %zd others\n", number, length, got);
		exit(1);
	}
	return 1;
}

int main(int argc, char **argv)
{
	const struct timeval limit = { .tv_sec = 10 };
	struct sockaddr_in to = { .sin_family = AF_INET };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	unsigned int count, back = 0;

	if (argc != 4 || fd < 0 || !inet_aton(argv[1], &to.sin_addr))
		return 2;
	to.sin_port = htons((uint16_t)atoi(argv[2]));
	count = (unsigned int)atoi(argv[3]);
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)))
		return 2;
	for (unsigned int i = 0; i < count && back + count / 100 >= i; i++)
		back += exchange(fd, i, (size_t)i * 7 % (LENGTH_MAX + 1));
	printf("%u of %u came back\n", back, count);
	return back + count / 100 < count;
}
