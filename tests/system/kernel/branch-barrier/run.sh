#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The emulated processor ignores the WRMSR of a barrier, but counts its instructions. Therefore costs show that barriers
# are executed. The kernel counts barriers where it executes them.
. /limpet/system.sh

barriers() {
	stat_of 'branch predictor barriers'
}

# median CASE: prints the median of the first figure of a case
median() {
	since_mark | grep '"limpet"' | sed -n "s/.*\"$1\".*\"median\": \([0-9]*\).*/\1/p" | head -n 1
}

# costs SYSTEM: runs ping, and sets the medians of its cases, and the number of barriers and invocations
costs() {
	start "$1"
	within 60 logged 1 'ping: done' || fail "$1: ends" "$(since_mark | tail -2)"
	invoke=$(median invoke-0) words=$(median invoke-4) dispatch=$(median dispatch)
	executed=$(barriers) invocations=$(stat_of invocations)
	must limpet stop
}

# at_least NAME NUMBER LIMIT
at_least() {
	check "$1" "$2, at least $3" [ "$2" -ge "$3" ]
}

# figures CASE PLAIN WITH: reports both costs
figures() {
	figure "{\"case\": \"$1\", \"without\": $2, \"with\": $3}"
}

attach
costs ping
plain="$invoke $words $dispatch" plain_invoke=$invoke plain_dispatch=$dispatch
equal "no barrier without a component that requests it" 0 "$executed"

costs "$PWD/ping.limpet"
at_least "invocation: a barrier at the call and one at the return" "$executed" $((2 * (invocations - 10)))
at_least "their instructions, with 32 calls each" $((invoke - plain_invoke)) 128
at_least "a switch to a thread of another component: one barrier" $((dispatch - plain_dispatch)) 64
check "and not two" "$dispatch, without $plain_dispatch" [ $((dispatch - plain_dispatch)) -lt 200 ]
figures invoke-0 "$plain_invoke" "$invoke"
figures dispatch "$plain_dispatch" "$dispatch"

costs ping
equal "afterwards, not one instruction more than before" "$plain" "$invoke $words $dispatch"
equal "and no barrier" 0 "$executed"

start "$PWD/control.limpet"
within 60 logged 2 '"timer"'
before=$(barriers) resumed=$(stat_of 'times components got the CPU')
usleep 500000
after=$(barriers) resumes=$(($(stat_of 'times components got the CPU') - resumed))
at_least "a loop that sleeps in Linux: barriers between Linux and the component" $((after - before)) "$resumes"
must limpet stop

start "$PWD/fault.limpet"
within 60 logged 1 '"figure"'
faults=$(stat_of 'faults of components')
at_least "faults: a barrier to the handler and one from it" "$(barriers)" $((2 * faults))
must limpet stop

if [ "$LIMPET_MODE" = beside ]; then
	start "$PWD/guest.limpet"
	within 10 limpet guest run --executive count true
	before=$(barriers)
	must limpet guest run --executive count -- sh -c 'i=0; while [ $i -lt 100 ]; do umask >/dev/null; umask 22; i=$((i+1)); done'
	at_least "guests: a barrier to the executive and one from it" $(($(barriers) - before)) 400
	must limpet stop
fi
linux_is_well
finish
