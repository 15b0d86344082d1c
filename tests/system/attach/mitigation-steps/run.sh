#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh
flaws=/sys/devices/system/cpu/vulnerabilities

# symbols NAME...: prints the addresses of those of the symbols that exist, as fields of a JSON object
symbols() {
	awk -v names=" $* " 'index(names, " " $3 " ") && !seen[$3]++ { printf "%s\"%s\": \"%s\"", n++ ? ", " : "", $3, $1 }' /proc/kallsyms
}

# chosen NAME PATTERN FILE...: adds the mitigation to those that Linux has chosen, if a file has the pattern
chosen() {
	name=$1 pattern=$2
	shift 2
	! (cd $flaws && cat "$@") | grep -qE "$pattern" || mitigations="$mitigations $name"
}

mitigations=
chosen untrain 'untrained return thunk|afe RET' retbleed spec_rstack_overflow
chosen ibpb 'Mitigation: IBPB($|;)' retbleed spec_rstack_overflow
chosen history 'BHI: SW loop' spectre_v2
chosen ibrs 'Mitigation: IBRS' retbleed spectre_v2
check "Linux has chosen mitigations at entries" "$(cat $flaws/retbleed $flaws/spectre_v2)" [ -n "$mitigations" ]
kind=guard
! grep -m1 '^flags' /proc/cpuinfo | grep -qw pti || kind=isolate
attach
found=$(symbols ${kind}_syscall ${kind}_stubs syscall_continue trap_user exit_sysret exit_iret clear_bhb_loop \
	entry_untrain_ret retbleed_untrain_ret srso_untrain_ret srso_alias_untrain_ret)
start crashing --linux-share 300
within 60 logged 1 '"timer"' || fail "a loop runs" "$(since_mark | tail -n 3)"
echo "{\"symbols\": {$found}, \"kind\": \"$kind\", \"mitigations\": \"$mitigations\"}" >/dev/verdict
read -r -t 120 followed </dev/verdict
check "entries and exits were followed" "$followed" [ "${followed:-0}" -gt 0 ]
figure "{\"case\": \"mitigations\", \"chosen\": \"$mitigations\", \"followed\": ${followed:-0}}"
continues "the loop continues"
must limpet stop
must limpet detach
linux_is_well
finish
