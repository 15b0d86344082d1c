# SPDX-License-Identifier: GPL-2.0
# Functions of properties about `limpet check`. Systems are in the folder `systems`.
. /limpet/system.sh

systems=$PWD

# check_of SYSTEM OPTIONS...: runs a system and checks it. The result is in /tmp/json, the status in `status`
check_of() {
	start "$systems/$1.limpet" $run_options
	within 20 logged 1 'checked: begins'
	shift
	limpet check --json "$@" >/tmp/json 2>/tmp/err
	status=$?
}

# value KEY: prints a value of the only thread
value() {
	sed -n "s/.*\"$1\": \"*\([a-z0-9-]*\).*/\1/p" /tmp/json
}

# named NAME REALTIME CAUSE STATUS: compares the verdict, the cause and the exit status of the check
named() {
	equal "$1: real-time" "$2" "$(value realtime)"
	equal "$1: the cause" "$3" "$(value cause)"
	equal "$1: the exit status" "$4" "$status"
	[ "$(value cause)" = "$3" ] || cat /tmp/json /tmp/err
	[ "$3" = none ] || check "$1: a remedy" "$(cat /tmp/json)" grep -q '"remedy": "[A-Z][^"]*\."' /tmp/json
	must limpet stop
}
