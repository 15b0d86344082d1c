#!/debian/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The job `build`: bash, coreutils, grep, sed and tcc make a program and run it. The argument is the number of its modules.
# The job is the same in each run, and ends with status 1 if the program's output is wrong.
set -eu -o pipefail
export PATH=/debian/bin LC_ALL=C
modules=$1

rm -rf /tmp/build
mkdir /tmp/build
cd /tmp/build
for ((i = 1; i <= modules; i++)); do
	sed "s/NUMBER/$i/g" /limpet/bench/module.c.in >"module$i.c"
	tcc -c "module$i.c" -o "module$i.o"
	grep -o "module_[0-9]*" "module$i.c" | sort -u >>names
	cksum <"module$i.c" | cut -d " " -f 1 >>sums
	[ "$(wc -c <"module$i.o")" -gt 500 ]
done
{
	echo '#include <stdio.h>'
	sed 's/.*/unsigned int &(unsigned int value);/' names
	echo 'int main(void) {'
	sed 's/.*/printf("%u\\n", &(7));/' names
	echo 'return 0; }'
} >main.c
tcc -o program main.c module*.o
./program | sort -n >output

# The modules compute value * 31^4 + 31^3 * NUMBER + 31^2 * 1 + 31 * 3 + 2, in the order of the names.
for ((i = 1; i <= modules; i++)); do
	echo $(((7 * 31 ** 4 + 31 ** 3 * i + 31 ** 2 * 1 + 31 * 3 + 2) % 1000 * 1000 + i))
done | sort -n | cmp - output
[ "$(sort -u sums | wc -l)" = $modules ]
