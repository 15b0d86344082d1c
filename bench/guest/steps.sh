# SPDX-License-Identifier: GPL-2.0
# Steps of a guest's script. `mode` says where Limpet is to be: beside or beneath.

# say WORDS: progress, for whoever waits
say() {
	echo "bench: $*"
}

# must COMMAND...: run it; a failure ends the script
must() {
	"$@" || {
		say "failed: $*"
		exit 1
	}
}

# attach: in the mode that is wanted
attach() {
	if [ "$mode" = beneath ]; then set -- --beneath; else set --; fi
	must limpet attach "$@" >/dev/null
}
