// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>

#include <cli/command/report/page.h>
#include <cli/common/svg.h>

void table_begin(FILE *out, const char *const *heads, unsigned int count, unsigned int words)
{
	fputs("<div class=\"scroll\"><table class=\"wide\">\n<thead><tr>", out);
	for (unsigned int i = 0; i < count; i++)
		fprintf(out, "<th scope=\"col\"%s>%s</th>", words >> i & 1 ? "" : " class=\"n\"",
			heads[i]);
	fputs("</tr></thead>\n<tbody>\n", out);
}

void table_end(FILE *out)
{
	fputs("</tbody></table></div>\n", out);
}

void table_cell(FILE *out, const char *class, const char *format, ...)
{
	va_list arguments;

	fprintf(out, *class ? "<td class=\"%s\">" : "<td>", class);
	va_start(arguments, format);
	svg_vprint(out, format, arguments);
	va_end(arguments);
	fputs("</td>", out);
}

void table_fact(FILE *out, const char *name, const char *format, ...)
{
	char text[4 * SURVEY_TEXT];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (!*text)
		return;
	fprintf(out, "<tr><th scope=\"row\">%s</th><td>", name);
	svg_escape(out, text);
	fputs("</td></tr>\n", out);
}
