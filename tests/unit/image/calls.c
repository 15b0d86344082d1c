// SPDX-License-Identifier: BSD-2-Clause
/* calls IMAGE: checks a good image, and prints how many functions the checker has called. It is compiled to count. */
#include <stdio.h>
#include <stdlib.h>

#include <image/check.h>

static unsigned long calls;

void __cyg_profile_func_enter(void *function, void *caller) __attribute__((no_instrument_function));
void __cyg_profile_func_enter(void *function, void *caller)
{
	(void)function;
	(void)caller;
	calls++;
}

void __cyg_profile_func_exit(void *function, void *caller) __attribute__((no_instrument_function));
void __cyg_profile_func_exit(void *function, void *caller)
{
	(void)function;
	(void)caller;
}

int main(int argc, char **argv)
{
	static _Alignas(4096) char image[16 << 20];
	struct limpet_image_error error;
	FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
	size_t size = file ? fread(image, 1, sizeof(image), file) : 0;

	if (file)
		fclose(file);
	calls = 0;
	if (!size || limpet_image_check(image, size, &error))
		return 1;
	printf("%lu\n", calls);
	return 0;
}
