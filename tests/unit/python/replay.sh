#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Replaces `limpet`: prints the output of the run that is recorded in the folder RECORDED, and writes its
# arguments to the file CALLS.
echo "$*" >>"$CALLS"
[ "$1" != --system ] || shift 2
command=$1
shift
case $command in
run) echo "python runs, host process 117" ;;
stop) echo "stopped python" ;;
trace)
	while [ $# -gt 0 ]; do
		[ "$1" != --output ] || cp "$RECORDED/trace.json" "$2"
		shift
	done
	;;
detach)
	echo "limpet detach: a system runs: stop it first" >&2
	exit 1
	;;
log)
	cat "$RECORDED/log.json"
	case $* in *--follow*) exec sleep 600 ;; esac
	;;
nothing) exit 3 ;;
*) cat "$RECORDED/$command.json" || exit 1 ;;
esac
