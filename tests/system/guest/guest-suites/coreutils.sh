# SPDX-License-Identifier: GPL-2.0
# Runs the tests of coreutils' source that the arguments name, or without arguments those of files, processes, signals
# and terminals. Writes "NAME ok", "NAME skipped" or "NAME fails" to descriptor 3.
cd /root/suites/coreutils || exit
export srcdir=. top_srcdir=. abs_srcdir=$PWD abs_top_srcdir=$PWD abs_top_builddir=$PWD CONFIG_HEADER=$PWD/lib/config.h
export PATH=$PWD/src:/usr/bin:/usr/sbin SHELL=/usr/bin/dash AWK=gawk EGREP='grep -E' PERL=perl EXEEXT= VERBOSE=
export VERSION=9.1 PACKAGE_VERSION=9.1 LOCALE_FR=none LOCALE_FR_UTF8=none host_os=linux-gnu
export host_triplet=x86_64-pc-linux-gnu fail=0 TMPDIR=/tmp LC_ALL=C
built_programs=$(cd src && echo [a-z]*)
export built_programs
folders='chgrp|chmod|chown|cp|dd|id|install|ln|mkdir|mv|readlink|rm|rmdir|tail-2|touch'
programs='cat|chroot|close|env|head|kill|ls|mknod|nice|nohup|nproc|printenv|pwd|realpath|seq-epipe|shred|sleep'
programs="$programs|sort-(co|ex|me|st)|stat|stdbuf|stty|sync|tac|tee|test-N|timeout|truncate|tty|wc|xattr|yes"
# These tests compute for a long time.
long='cp/same-file|cp/sparse|misc/sort-compress.sh'
[ $# -ne 0 ] || set -- $(echo tests/*/*.sh | tr ' ' '\n' | grep -E "^tests/($folders|misc/($programs)[^/]*)" |
	grep -vE "$long")
for name; do
	echo "--- $name"
	CU_TEST_NAME=$(basename "$name") timeout -k 5 100 script -qec "exec 9>&2; dash $name" /dev/null 3>&-
	case $? in
	0) result=ok ;;
	77) result=skipped ;;
	*) result=fails ;;
	esac
	echo "$name $result" >&3
done
