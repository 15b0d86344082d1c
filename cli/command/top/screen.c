// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ncurses.h>

#include <cli/common/command.h>
#include <cli/common/report.h>
#include <cli/command/top/screen.h>

static const char keys[TOP_SORTS + 1] = {
	[TOP_CPU] = 'c',	[TOP_INVOCATIONS] = 'i', [TOP_MISSES] = 'm',
	[TOP_DISPATCHES] = 'd', [TOP_RESTARTS] = 'r',	 [TOP_NAME] = 'n',
};

#define HELP                                                                                       \
	"sort: c cpu  i invocations  m misses  d dispatches  r restarts  n name    space now  q end"

/*
 * Draws the text of a report, line by line. Headings are highlighted. Lines that do not fit are
 * omitted.
 */
static void draw(const struct top *top, enum top_sort sort)
{
	char *text = NULL, *line, *rest;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int row = 0;

	if (!out)
		return;
	top_print(out, top, sort);
	fclose(out);
	erase();
	rest = text;
	while ((line = strsep(&rest, "\n")) && row < LINES - 1) {
		attrset(row == 0 ? A_BOLD : !strncmp(line, "CPU", 3) ? A_REVERSE : A_NORMAL);
		mvaddnstr(row++, 0, line, COLS);
	}
	attrset(A_DIM);
	mvaddnstr(LINES - 1, 0, HELP, COLS);
	attrset(A_NORMAL);
	refresh();
	free(text);
}

/* Waits for the interval or a key. Returns false if the program must end. */
static bool key_take(enum top_sort *sort)
{
	int key = getch();
	const char *found;

	if (key == 'q' || key == 'Q')
		return false;
	found = key > 0 && key < 127 ? strchr(keys, tolower(key)) : NULL;
	if (found && *found)
		*sort = (enum top_sort)(found - keys);
	return true;
}

static bool screen_begin(int interval_ms)
{
	SCREEN *screen;

	setlocale(LC_ALL, "");
	screen = newterm(NULL, stdout, stdin);
	if (!screen)
		return false;
	set_term(screen);
	cbreak();
	noecho();
	curs_set(0);
	keypad(stdscr, TRUE);
	timeout(interval_ms);
	return true;
}

static void show(const struct snapshot *before, const struct snapshot *now, enum top_sort sort)
{
	static struct top top;

	top_take(&top, before, now, sort);
	draw(&top, sort);
}

int screen_run(bool (*take)(struct snapshot *snapshot), int interval_ms, enum top_sort sort)
{
	static struct snapshot snapshot[2];
	unsigned int old = 0;
	bool there = take(&snapshot[0]);

	if (!there)
		return COMMAND_REFUSED;
	if (!isatty(STDIN_FILENO))
		return report("The screen reads keys, but stdin is not a terminal. Use --batch.");
	if (!screen_begin(interval_ms))
		return report("TERM=%s is not a known terminal. Use --batch.",
			      getenv("TERM") ? getenv("TERM") : "");
	show(&snapshot[1], &snapshot[0],
	     sort); /* the first report covers the time since the system started */
	while (key_take(&sort)) {
		there = take(&snapshot[!old]);
		if (!there)
			break;
		show(&snapshot[old], &snapshot[!old], sort);
		snapshot_release(&snapshot[old]);
		old = !old;
	}
	endwin();
	snapshot_release(&snapshot[old]);
	return there ? COMMAND_OK
		     : report("The system has ended. See `limpet log` for its last messages.");
}
