// SPDX-License-Identifier: GPL-2.0
/* datagrams ADDRESS PORT COUNT SIZE: sends datagrams as fast as Linux accepts them. Lost datagrams are not an error. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

int main(int argc, char **argv)
{
	static char data[65536];
	struct sockaddr_in to = { .sin_family = AF_INET };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	if (argc != 5 || fd < 0 || !inet_aton(argv[1], &to.sin_addr))
		return 2;
	to.sin_port = htons((uint16_t)atoi(argv[2]));
	for (long i = atol(argv[3]); i > 0; i--)
		if (sendto(fd, data, (size_t)atol(argv[4]) % sizeof(data), 0,
			   (struct sockaddr *)&to, sizeof(to)) < 0 &&
		    errno != ENOBUFS) {
			perror("sendto");
			return 1;
		}
	return 0;
}
