# SPDX-License-Identifier: GPL-2.0
# Steps of a guest's script. `mode` is the mode of Limpet: beside or beneath.

# say WORDS: prints progress
say() {
	echo "bench: $*"
}

# must COMMAND...: runs it; a failure ends the script
must() {
	"$@" || {
		say "failed: $*"
		exit 1
	}
}

# attach: attaches in the mode `mode`
attach() {
	if [ "$mode" = beneath ]; then set -- --beneath; else set --; fi
	must limpet attach "$@" >/dev/null
}
