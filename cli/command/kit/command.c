// SPDX-License-Identifier: GPL-2.0
/* Commands for projects outside Limpet's tree. They run the kit, which needs Python, a compiler and QEMU. */
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cli/common/command.h>
#include <cli/common/program.h>
#include <cli/common/report.h>

#define VARIABLE "LIMPET_SDK"
#define KIT "tools/limpet-kit"

/* Writes the path of the kit below a folder. Returns whether the kit exists. */
static bool kit_below(const char *folder, const char *more, char path[PATH_MAX])
{
	return snprintf(path, PATH_MAX, "%s%s/" KIT, folder, more) < PATH_MAX &&
	       !access(path, X_OK);
}

/*
 * Finds the kit. The folder in LIMPET_SDK has priority. Otherwise the kit is PREFIX/share/limpet/sdk for an installed
 * PREFIX/bin/limpet, or the checkout for its build/cli/limpet.
 */
static bool kit_find(char path[PATH_MAX])
{
	const char *given = getenv(VARIABLE);
	char self[PATH_MAX], *folder;

	if (given && *given)
		return kit_below(given, "", path);
	if (!program_path(self))
		return false;
	folder = dirname(dirname(self));
	return kit_below(folder, "/share/limpet/sdk", path) || kit_below(folder, "/..", path);
}

static int kit_missing(void)
{
	const char *given = getenv(VARIABLE);

	if (given && *given)
		return report(VARIABLE "=%s: There is no " KIT
				       " in this folder. Correct or unset the variable.",
			      given);
	return report(
		"The kit for components is not installed. Install limpet-sdk, or set " VARIABLE
		" to the folder of a checkout.");
}

static int kit_main(const struct command *command, int argc, char **argv)
{
	char path[PATH_MAX], **words;

	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))
		return command_help(command);
	if (!kit_find(path))
		return kit_missing();
	words = calloc((size_t)argc + 2, sizeof(*words));
	if (!words)
		return report("%s", strerror(errno));
	words[0] = path;
	words[1] = (char *)command->name;
	memcpy(words + 2, argv + 1, (size_t)(argc - 1) * sizeof(*words));
	execv(path, words);
	free(words);
	return report("%s: %s", path, strerror(errno));
}

const struct command new_command = {
	.name = "new",
	.summary = "makes a component, a system or a project of your own",
	.arguments = "component|system|project NAME [--program|--cpp|--rust|--empty]",
	.help = "\n"
		"  component NAME  a folder NAME with a description and a source, and its unit test\n"
		"                  tests/NAME_test.c, .cpp with --cpp, .rs with --rust\n"
		"  system NAME     a system file NAME.toml with all components of the current folder\n"
		"  project DIR     a folder with a Makefile, a component, a system, a unit test that runs\n"
		"                  on this machine, and a system test that runs in QEMU\n"
		"  --program       the component is a C program with main(), on Debian's musl\n"
		"  --cpp           the component is a C++ program with main()\n"
		"  --rust          the component is in Rust\n"
		"  --empty         the project has only the Makefile\n\n"
		"Existing files are not overwritten.\n",
	.run = kit_main,
};

const struct command build_command = {
	.name = "build",
	.summary = "builds the components and systems of a project",
	.arguments = "[--sdk] [WORD...]",
	.help = "\n"
		"Runs make in the current folder, which has a Makefile from `limpet new project`.\n"
		"WORD is a target or a variable of make: `limpet build test` runs the tests.\n\n"
		"  --sdk  print the folder of the kit instead\n",
	.run = kit_main,
};

const struct command rtlinux_command = {
	.name = "rtlinux",
	.summary = "builds an RTLinux module into a system, and runs it",
	.arguments =
		"build DIR|FILE.c... -o OUT.limpet [OPTION...] | run DIR|FILE.c... [OPTION...]",
	.help = "\n"
		"The module's sources are compiled unchanged. `run` builds the system and loads it, as\n"
		"`limpet run` does.\n\n"
		"  -m NAME            module of the folder (the only one)\n"
		"  -p NAME=VALUE      module parameter, as for insmod\n"
		"  -D NAME            macro for the compiler\n"
		"  --threads N        threads at a time (16)\n"
		"  --fifos F+COUNT    FIFOs that the module can create (0+8 if it creates some)\n"
		"  --mbuff NAME=SIZE  shared buffer (those that the sources name, 64K each)\n\n"
		"limpet-rtlinux(1) has all options.\n",
	.run = kit_main,
};

const struct command try_command = {
	.name = "try",
	.summary = "runs a system of a project in QEMU",
	.arguments =
		"SYSTEM [--kernel KERNEL] [--script FILE] [--file FILE[:PATH]]... [--python] "
		"[--beneath] [--linux-restarts] [--counted] [--shell] [--cpus N] [--timeout S]",
	.help = "\n"
		"Builds SYSTEM.toml of the current folder (or takes an image, SYSTEM.limpet), boots a\n"
		"kernel in QEMU, attaches there, runs the system, and shows it and its log. Nothing is\n"
		"loaded on this machine.\n\n"
		"  --kernel KERNEL  the release of an installed kernel that has limpet.ko (the running\n"
		"                   one); in a checkout also 6.1, 6.12 and the other kernels of `make help`\n"
		"  --script FILE    run this script in the guest instead; the image is in /limpet/images\n"
		"  --file FILE[:PATH]\n"
		"                   give the guest this file (as /root/NAME); can be repeated\n"
		"  --python         give the guest Python with the package limpet\n"
		"  --beneath        attach in beneath mode; a script has the option for `limpet attach`\n"
		"                   in LIMPET_ATTACH\n"
		"  --linux-restarts the same, and continue when the guest's Linux panics; its kernel is\n"
		"                   /limpet/vmlinuz\n"
		"  --counted        let the guest's clock count instructions, one each nanosecond\n"
		"  --shell          open a shell in the guest at the end, while the system runs\n"
		"  --cpus N         CPUs of the guest (1)\n"
		"  --timeout S      seconds until the guest is stopped (300)\n",
	.run = kit_main,
};
