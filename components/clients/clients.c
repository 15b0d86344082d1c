// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/format.h>
#include <runtime/measure.h>

#include <import/first.h>
#include <import/last.h>

void component_main(const struct limpet_info *info)
{
	long stages = first_request();
	char name[16];

	measure_begin(info);
	if (last_request() != 1)
		limpet_print("wrong: there are stages behind the last one\n");
	MEASURE(last_request());
	measure_report("sched", "invoke-0", "limpet");
	limpet_print("a request passes through %ld stages\n", stages);
	limpet_format(name, sizeof(name), "chain-%ld", stages);
	MEASURE(first_request());
	measure_report("sched", name, "limpet");
	limpet_print("done\n");
}
