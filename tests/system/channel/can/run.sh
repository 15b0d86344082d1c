#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

proxy() {
	limpet proxy can can:vcan0 >>/tmp/proxy 2>&1 &
	proxying=$!
}

# says WHAT TEXT: waits until the log has the text
says() {
	check "$1" "$(since_mark | tail -n 8; cat /tmp/proxy)" within 20 logged 1 "$2"
}

# asked WHAT ARGUMENT...: sends a frame, and checks the received answers
asked() {
	what=$1
	shift
	holds "$what" ./peer vcan0 "$@" 20
}

# answers WHAT: checks that frames pass again in both directions
answers() {
	check "$1" "$(since_mark | tail -n 5)" within 20 ./peer vcan0 107 again 117 again 1 1 >/tmp/answers
}

: >/tmp/proxy
attach
refused "an absent interface is refused" "can9: There is no such interface. Create it" limpet proxy can can:can9
refused "a network interface of another kind is refused" "lo: This is not a CAN interface" limpet proxy can can:lo
must ip link add dev vcan0 type vcan
start "$PWD/bus.limpet"
says "frames are refused without a proxy" 'user: state 0, send -10$'
proxy
says "the component reports an interface that is down" 'can: .*the interface is down or absent'
says "frames are refused while it is down" 'user: state 1, send -17$'
must ip link set vcan0 up
says "the component reports that the interface is up" 'can: .*the interface is up'
says "frames are accepted then" 'user: state 2, send 0$'

asked "a standard frame is answered" 105 hello 115 hello 1
asked "a frame of 8 bytes is answered" 10f 12345678 11f 12345678 1
asked "a frame without data is answered" 100 "" 110 "" 1
asked "an extended frame is answered" 92345607 wide 92345707 wide 1
asked "a remote request is answered with data of its length" 40000300 four 300 answ 1
holds "frames that no filter matches are sent" \
	sh -c './peer vcan0 205 x && ./peer vcan0 92345507 x && ./peer vcan0 80000105 x && ./peer vcan0 300 x'
asked "a later frame is the first one that is answered" 106 then 116 then 1
asked "the component sends by itself" 106 x 120 "" 3

asked "the queue holds 64 frames while its owner does not run" 923456ff x 92345700 063 64
says "other frames are refused" 'user: burst: 64 sent, 136 refused'
says "the losses are reported" 'can: .*frames lost: [0-9]* not sent, 0 not sent by Linux, 0 not received'

# Error frames of a controller: data byte 1 of class 4; class 40 is bus-off, class 100 a restart.
must ./peer vcan0 20000004 "$(printf 'x\004')"
says "a component receives an error frame" 'user: error frame 4$'
says "the controller's warning is the state" 'user: state 3, send 0$'
must ./peer vcan0 20000004 "x "
says "an error-passive controller is reported" 'can: .*the controller is error-passive'
must ./peer vcan0 20000040 ""
says "a controller that is bus-off takes no frames" 'user: state 5, send -17$'
mark
must ./peer vcan0 20000100 ""
says "it is used again after its restart" 'user: state 2, send 0$'

mark
must ip link set vcan0 down
says "the interface goes down" 'user: state 1, send -17$'
must ip link set vcan0 up
answers "frames pass when it is up again"
mark
must ip link delete vcan0
says "the interface goes away" 'user: state 1, send -17$'
must ip link add dev vcan0 type vcan
must ip link set vcan0 up
answers "frames pass when it has come back"

mark
kill -9 $proxying
wait $proxying 2>/dev/null
says "the proxy ends" 'can: .*no proxy: frames are dropped'
says "frames are refused meanwhile" 'user: state 0, send -10$'
proxy
answers "frames pass by another proxy"

equal "nothing was wrong" "" "$(grep 'wrong: ' $log)"
must limpet stop
wait $proxying
equal "the proxy ends with the system" 0 $?
equal "without a word" "" "$(cat /tmp/proxy)"
must ip link delete vcan0
holds "detaches" limpet detach
linux_is_well
finish
