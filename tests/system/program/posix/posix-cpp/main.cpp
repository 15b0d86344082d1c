// SPDX-License-Identifier: BSD-2-Clause
/*
 * Prints results of the language's run-time support and of the standard library. Linux runs the same sources with
 * another C++ library, and both outputs must be equal. Therefore the program prints no time, address or library's text.
 */
#include <iostream>

#include "parts.h"

int main(int argc, char **argv)
{
	if (argc > 1)
		fail(argv[1]);
	language();
	library();
	std::cout << "all parts\n";
	return 0;
}
