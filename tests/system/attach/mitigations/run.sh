#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh
mode=
[ "$LIMPET_MODE" = beside ] || mode=--beneath
flaws=/sys/devices/system/cpu/vulnerabilities

# median CASE: prints the median of the first figure of a case
median() {
	since_mark | grep '"limpet"' | sed -n "s/.*\"$1\".*\"median\": \([0-9]*\).*/\1/p" | head -n 1
}

# costs OPTION...: attaches with these options, and prints the medians of the cases, in instructions
costs() {
	limpet attach $mode "$@" >/dev/null && mark && limpet run $images/ping.limpet >/dev/null || return 1
	within 60 logged 1 'ping: done' || return 1
	for case in invoke-0 invoke-4 dispatch; do
		median $case
	done
	for image in control-late control; do
		limpet stop >/dev/null && mark && limpet run $images/$image.limpet >/dev/null || return 1
		within 60 logged 1 '"timer"' || return 1
		median timer
	done
	limpet stop >/dev/null && limpet detach >/dev/null
}

# guests OPTION...: attaches with these options, and prints the output of `limpet guest`
guests() {
	limpet attach "$@" >/dev/null
	limpet guest ps
	status=$?
	limpet detach >/dev/null
	return $status
}

# noted DEFAULT TRUSTED CASE: stores a figure, which is printed at the end
noted() {
	echo "{\"case\": \"$3\", \"default\": $1, \"trusted\": $2}" >>/tmp/figures
}

# cheap LIMIT DEFAULT TRUSTED CASE: checks that the cost with mitigations is at most LIMIT percent of the cost without
cheap() {
	check "$4: at most $1 % of the cost without" "$2, trusted $3" [ $(($2 * 100)) -le $(($3 * $1)) ]
}

# compare LIMIT DEFAULT TRUSTED CASE: checks the costs of a case. LIMIT is 0 if the processor needs no mitigations
compare() {
	noted "$2" "$3" "$4"
	if [ "$1" != 0 ]; then
		check "$4: the entries do something for this processor" "$2, trusted $3" [ "$2" -gt "$3" ]
		cheap "$1" "$2" "$3" "$4"
	else
		equal "$4: not one instruction more on a processor that needs nothing" "$3" "$2"
	fi
}

# The limits of docs/decisions/0069-cost-of-mitigations.md, in percent.
needed=0
! grep -qE 'untrained return thunk|afe RET' $flaws/retbleed $flaws/spec_rstack_overflow || needed=135
! grep -qhE '^Mitigation: IBPB($|;)' $flaws/retbleed $flaws/spec_rstack_overflow || needed=350
! grep -q 'BHI: SW loop' $flaws/spectre_v2 || needed=350
must costs --trust-components
trusted=$said
if grep -m1 '^flags' /proc/cpuinfo | grep -qw pti; then
	for option in "" --trust-components; do
		refused "guests, attached ${option:-plainly}" 'Guests are not possible while Linux isolates page tables' guests $option
	done
	needed=650
	! grep -q 'Mitigation: IBRS' $flaws/retbleed || needed=900
fi
must costs
default=$said
set -- $default
first=$1 second=$2 third=$3 fourth=$4
check "the time of two kernel calls hides the return to a thread" "the loop is late by $5 instructions" [ "$5" -le 32 ]
set -- $trusted
# In beneath mode the layer's returns keep their mitigation, because Linux is not trusted: docs/entry.md.
if [ "$LIMPET_MODE" = beside ] || [ $needed = 0 ]; then invoke_max=128 dispatch_max=187; else invoke_max=130 dispatch_max=193; fi
check "trusted invoke-0: at most $invoke_max" "$1" [ "$1" -le $invoke_max ]
check "trusted dispatch: at most $dispatch_max" "$3" [ "$3" -le $dispatch_max ]
compare $needed "$first" "$1" invoke-0
compare $needed "$second" "$2" invoke-4
compare $needed "$third" "$3" dispatch
# A wake-up also runs code of Linux, whose path differs between two attaches. The instructions are therefore not equal.
noted "$fourth" "$4" wake-up
[ "$needed" != 0 ] || needed=135
cheap "$needed" "$fourth" "$4" wake-up
while read -r line; do figure "$line"; done </tmp/figures
linux_is_well
finish
