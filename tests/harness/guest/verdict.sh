# SPDX-License-Identifier: GPL-2.0
# Verdicts from shell scripts. Source this file, call pass, fail, check, equal, figure, and in the end finish. Each line
# is one JSON object, written by one write(): see tests/harness/README.md.

verdicts=0

# quote TEXT: sets $string to the text as a JSON string. Most names need no change, and so no process: five processes
# take as long as most checks do.
quote() {
	string=$*
	case $string in
	*[!\ -~]* | *[\"\\]*) quote_each ;;
	*) [ ${#string} -le 1000 ] || quote_each ;;
	esac
	string="\"$string\""
}
quote_each() {
	string=$(printf '%s' "$string" | tr '\n\t' '  ' | tr -d '\000-\037' |
		sed 's/[\\"]/\\&/g' | cut -c1-1000)
}

# quoted TEXT: prints the text as a JSON string
quoted() {
	quote "$*"
	printf '%s' "$string"
}

# pass NAME
pass() {
	verdicts=$((verdicts + 1))
	quote "$1"
	echo "{\"test\": $string, \"ok\": true}" >/dev/verdict
}

# fail NAME WHY...
fail() {
	verdicts=$((verdicts + 1))
	quote "$1"
	name=$string
	shift
	quote "$*"
	echo "{\"test\": $name, \"ok\": false, \"why\": $string}" >/dev/verdict
}

# check NAME WHY COMMAND...: pass if the command succeeds
check() {
	name=$1 why=$2
	shift 2
	if "$@"; then pass "$name"; else fail "$name" "$why"; fi
}

# equal NAME WANTED GOT
equal() {
	if [ "$2" = "$3" ]; then pass "$1"; else fail "$1" "wanted '$2', got '$3'"; fi
}

# figure JSON-OBJECT
figure() {
	echo "{\"figure\": $1}" >/dev/verdict
}

# drain: waits until all lines have left the serial port. A reset of the machine loses those that have not
drain() {
	stty -F /dev/verdict raw -echo # stty waits for the output before it changes settings
}

# sysrq KEY: lets Linux execute a command that ends it, as `c`, after all lines have left
sysrq() {
	drain
	echo "$1" >/proc/sysrq-trigger
}

# finish: marks the end of the run, with the number of verdicts
finish() {
	echo "{\"done\": $verdicts}" >/dev/verdict
}
