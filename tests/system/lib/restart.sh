# SPDX-License-Identifier: GPL-2.0
# Linuxes that follow each other over a 1 kHz loop. In counted runs each period is looked at.
. /limpet/system.sh

most=1000 # instructions that a period may begin late

# pack: this Linux's root, as the next one's, into /tmp/initrd; what is mounted over it is not in it
pack() {
	mkdir /tmp/root
	mount --bind / /tmp/root
	must sh -c 'cd /tmp/root && find . | cpio -o -H newc >/tmp/initrd 2>/dev/null'
	umount /tmp/root
}

# unharmed NAME: no period of the loop was missed, or late, in all that this Linux has heard of
unharmed() {
	goes_on "the loop goes on after $1"
	[ -n "$COUNTED" ] || return
	equal "no period was missed: $1" "" "$(grep '"overruns"' $log | grep -v '"count": 0}')"
	equal "the loop's reports are all there: $1" "" "$(grep 'were dropped' $log)"
	worst=$(sed -n 's/.*"figure".*"max": \([0-9]*\).*/\1/p' $log | sort -n | tail -n 1)
	check "the greatest of $(grep -c '"figure"' $log) reports: $1" "$worst" [ "$worst" -le $most ]
	figure "{\"suite\": \"system\", \"case\": \"restart\", \"reports\": $(grep -c '"figure"' $log), \"max\": $worst}"
}
