# SPDX-License-Identifier: GPL-2.0
# Builds a program of 20 modules with make and GCC, and runs it.
rm -rf /tmp/build
mkdir /tmp/build
cd /tmp/build || exit 1
for i in {1..20}; do
	cat >"m$i.c" <<-END
	#include <stdio.h>
	#include <stdlib.h>
	#include <string.h>
	long f$i(long x) { char text[32]; snprintf(text, sizeof(text), "%ld", x * $i); return strtol(text, NULL, 10) + $i; }
	END
done
{
	echo '#include <stdio.h>'
	for i in {1..20}; do echo "long f$i(long x);"; done
	echo 'int main(void) { long x = 1;'
	for i in {1..20}; do echo "x = f$i(x) % 1000003;"; done
	echo 'printf("%ld\n", x); return 0; }'
} >main.c
printf 'CFLAGS = -O2 -Wall -Werror\nCC = gcc-12\nOBJECTS = main.o %s\nprogram: $(OBJECTS)\n\t$(CC) -o $@ $^\n' "$(echo m{1..20}.o)" >Makefile
make -s -j3 && ./program
