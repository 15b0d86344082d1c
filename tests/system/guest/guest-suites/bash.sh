# SPDX-License-Identifier: GPL-2.0
# Runs the tests of bash's source that the arguments name, or all without arguments. Writes "NAME ok" or "NAME fails" to
# descriptor 3.
cd /root/suites/tests || exit
export THIS_SH=/usr/bin/bash BUILD_DIR=/root/suites TMPDIR=/tmp BASH_TSTOUT=/tmp/bashtst
export PATH=/root/suites:/usr/bin:/usr/sbin
unset BASH_ENV
if [ $# -eq 0 ]; then
	for file in run-*; do
		case $file in
		run-all | run-minimal | run-gprof) ;;
		*) set -- "$@" "${file#run-}" ;;
		esac
	done
fi
for name; do
	echo "--- $name"
	# Some tests read from their terminal.
	if timeout -k 5 300 script -qec "sh ./run-$name" /dev/null 3>&-; then result=ok; else result=fails; fi
	echo "$name $result" >&3
	rm -f $BASH_TSTOUT
done
