#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh
. /limpet/guest.sh
. /limpet/packages.sh

limit=1500 # for each suite
environment="-i PATH=/usr/bin:/usr/sbin HOME=/root/suites LC_ALL=C.UTF-8"
suites="bash perl coreutils"

# run SUITE NAME [TEST...]: runs tests of the suite. Many tests of bash and coreutils need an ordinary user
run() {
	case $1 in
	perl) program="perl /root/suites/perl.pl" ;;
	*) program="setpriv --reuid=1000 --regid=1000 --groups=1000,1001 dash /root/suites/$1.sh" ;;
	esac
	shift
	packages_run "$1" $program $(shift && echo "$@")
}

# all KIND: runs the suites at the same time, because some tests sleep
all() {
	for suite in $suites; do
		begin=$(date +%s)
		(
			run $suite $suite.$1 $(cat /tmp/list.$suite)
			echo "$suite, $1: $(wc -l </tmp/out.$suite.$1.outcomes) tests in $(($(date +%s) - begin)) s"
		) &
	done
	wait
}

# outcomes_equal SUITE: checks that each test that passes without Limpet also passes as a guest, or passes alone
outcomes_equal() {
	while read -r test; do
		grep -qxF "$test ok" "/tmp/out.$1.guest.outcomes" || echo "$test"
	done </tmp/list.$1 >/tmp/worse
	while read -r test; do
		run $1 again "$test"
		grep -qxF "$test ok" /tmp/out.again.outcomes && continue
		echo "$test"
		{
			echo "== $test as a guest"
			tail -n 40 /tmp/out.again
		} >>/tmp/reasons
	done </tmp/worse >/tmp/worse.alone
	equal "$1: tests that are worse than without Limpet" "" "$(tr '\n' ' ' </tmp/worse.alone | head -c 600)"
	echo "$1: $(wc -l </tmp/list.$1) good without Limpet, $(grep -c ' ok$' "/tmp/out.$1.guest.outcomes") as guests," \
		"$(wc -l </tmp/worse) tried again"
}

# Only these tests run, because all of them take hours in the emulator.
echo lastpipe jobs trap procsub coproc heredoc | tr ' ' '\n' >/tmp/list.bash
echo t/op/fork.t t/io/pipe.t t/op/kill0.t ext/POSIX/t/sigaction.t ext/POSIX/t/waitpid.t dist/IO/t/io_poll.t \
	dist/threads/t/kill.t cpan/IPC-SysV/t/sem.t | tr ' ' '\n' >/tmp/list.perl
echo tests/misc/timeout.sh tests/misc/env-signal-handler.sh tests/tail-2/follow-stdin.sh tests/cp/link-deref.sh \
	tests/rm/r-1.sh tests/misc/stty-row-col.sh | tr ' ' '\n' >/tmp/list.coreutils

packages_enter
mkdir $root/root/suites
for suite in $suites; do
	must tar -C $root/root/suites -xf $suite.tar
done
cp *.sh perl.pl limits $root/root/suites/
by=
packages_run setup sh /root/suites/setup.sh
equal "the tests are complete" "status 0" "$(tail -n 1 /tmp/out.setup)"

all plain
for suite in $suites; do
	chosen=$(wc -l </tmp/list.$suite)
	sed -n 's/ ok$//p' /tmp/out.$suite.plain.outcomes >/tmp/list.$suite
	good=$(wc -l </tmp/list.$suite)
	echo "$suite without Limpet: $good good of $(wc -l </tmp/out.$suite.plain.outcomes)," \
		"these fail: $(sed -n 's/ fails$//p' /tmp/out.$suite.plain.outcomes | tr '\n' ' ')"
	equal "$suite without Limpet: good tests" "$chosen" "$good"
done
start_probe guest-probe
# The executive answers each call twice: it passes the call on, and then its result.
limpet guest run --executive probe ./mode 2 || fail "mode" "status $?"
by="limpet guest run --executive probe --"
all guest
for suite in $suites; do
	outcomes_equal $suite
done
cat /tmp/reasons 2>/dev/null
end_probe
finish
