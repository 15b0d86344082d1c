#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh
. /limpet/guest.sh
. /limpet/packages.sh

limit=900 # for each program
environment="PATH=/usr/bin HOME=/root LC_ALL=C.UTF-8"
modules="test_os test_signal test_threading test_subprocess test_socket test_select test_mmap test_fork1 test_wait4"

jobs() {
	for module in $modules; do
		packages_run "$module.$1" python3.11 -P /root/suite.py $module
	done
	rm -f $root/tmp/numbers.db*
	packages_run "sqlite.$1" sqlite3 -batch /tmp/numbers.db ".read /root/numbers.sql"
	packages_run "gcc.$1" bash /root/build.bash
	packages_run "nginx.$1" bash /root/nginx.bash
	packages_run "go.$1" bash -c 'cd /root && GOCACHE=/tmp/go GOFLAGS=-p=2 GO111MODULE=off /usr/lib/go-1.19/bin/go run work.go'
	packages_run "java.$1" bash -c 'cd /tmp && $0/javac -d . /root/Work.java && exec $0/java -Xmx256m Work' \
		/usr/lib/jvm/java-17-openjdk-amd64/bin
}

# outcomes_equal NAME: checks that each Python test that passes without Limpet also passes as a guest, or passes alone
outcomes_equal() {
	for module in $modules; do
		plain=/tmp/out.$module.plain.outcomes
		check "$module without Limpet: tests that are good" "$(tail -n 2 /tmp/out.$module.plain)" \
			sh -c '[ "$(grep -c " ok$" '$plain')" -ge 1 ]'
		grep ' ok$' "$plain" | while read -r line; do
			grep -qxF "$line" "/tmp/out.$module.$1.outcomes" || echo "${line% ok}"
		done >/tmp/worse
		while read -r test; do
			packages_run "again" python3.11 -P /root/suite.py "${test#test.}"
			grep -qxF "$test ok" /tmp/out.again.outcomes || echo "$test"
		done </tmp/worse >/tmp/worse.alone
		equal "$module, $1: tests that are worse than without Limpet" "" "$(head -c 400 /tmp/worse.alone)"
		echo "$module, $1: $(grep -c ' ok$' "$plain") good without Limpet, $(grep -c ' ok$' "/tmp/out.$module.$1.outcomes")" \
			"as guests, $(wc -l </tmp/worse) tried again"
	done
}

packages_enter
cp suite.py numbers.sql work.go Work.java build.bash nginx.bash nginx.conf $root/root/
by=
jobs plain
for job in sqlite gcc nginx go java; do
	check "$job works without Limpet" "$(tail -n 3 /tmp/out.$job.plain)" \
		sh -c 'tail -n 1 /tmp/out.'$job'.plain | grep -q "^status [03]$"'
done
for module in $modules; do
	echo "$module without Limpet: $(cut -d " " -f 2- "/tmp/out.$module.plain.outcomes" | sort | uniq -c | tr "\n" ","; tail -n 1 "/tmp/out.$module.plain")"
done
start_probe guest-probe
for mode in "1 passed" "2 results"; do
	limpet guest run --executive probe ./mode "${mode%% *}" || fail "mode $mode" "status $?"
	by="limpet guest run --executive probe --"
	jobs "${mode#* }"
	outcomes_equal "${mode#* }"
	for job in sqlite gcc nginx go java; do
		check "$job, ${mode#* }" "$(diff /tmp/out.$job.plain "/tmp/out.$job.${mode#* }" | head -n 8)" \
			cmp -s /tmp/out.$job.plain "/tmp/out.$job.${mode#* }"
	done
done
end_probe
finish
