// SPDX-License-Identifier: BSD-2-Clause
/* The component tcp.sink as a program: sink [NAME=VALUE]... */
#include "machine.h"

void sink_component_main(const struct limpet_info *info);

int main(int argc, char **argv)
{
	sink_component_main(machine_begin(argc - 1, argv + 1, 3));
	return 0;
}
