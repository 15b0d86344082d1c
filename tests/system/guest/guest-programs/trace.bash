# SPDX-License-Identifier: GPL-2.0
# Prints the names of the system calls of programs from the output of strace.
echo some text >file
strace -o calls cat file
sed 's/(.*//' calls
strace -f -o calls bash -c 'cat file | tr a-z A-Z; exit 4'
echo "status $?"
grep -v resumed calls | grep -c 'execve('
grep -v resumed calls | grep -c 'write(1'
strace -c -o summary ls >/dev/null
grep -c execve summary
