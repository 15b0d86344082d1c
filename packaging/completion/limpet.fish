# SPDX-License-Identifier: GPL-2.0
# Completion for fish. Commands and options come from the command's own help.
complete -c limpet -n __fish_use_subcommand -f \
	-a "(limpet --help 2>/dev/null | sed -n 's/^  \([a-z][a-z-]*\)  *\(.*\)/\1\t\2/p')"
complete -c limpet -n 'not __fish_use_subcommand; and string match -q -- "-*" (commandline -ct)' -f \
	-a "(limpet (commandline -opc)[2] --help 2>/dev/null | grep -o -e '--[a-z][a-z-]*' | sort -u)"
