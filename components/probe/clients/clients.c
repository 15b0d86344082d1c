// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/format.h>
#include <runtime/measure.h>

#include <import/first.h>
#include <import/last.h>

void component_main(const struct limpet_info *info)
{
	long stages = first_stages();
	char name[16];

	measure_begin(info);
	if (stages < 0 || first_request() || last_request() || last_stages() != 1)
		limpet_print("wrong: requests do not pass: %s\n", limpet_error_text(stages));
	MEASURE(last_request());
	measure_report("sched", "invoke-0", "limpet");
	limpet_print("a request passes through %ld stages\n", stages);
	limpet_format(name, sizeof(name), "chain-%ld", stages);
	MEASURE(first_request());
	measure_report("sched", name, "limpet");
	limpet_print("done\n");
}
