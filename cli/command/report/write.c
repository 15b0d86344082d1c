// SPDX-License-Identifier: GPL-2.0
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cli/command/report/survey.h>
#include <cli/common/file.h>
#include <cli/common/report.h>

#define CONVERTER "rsvg-convert" /* program of Debian's package librsvg2-bin */

extern char **environ;

/* The content of one file. */
struct piece {
	const struct survey *survey;
	unsigned int kind, thread; /* kind and thread of a picture */
};

bool survey_is_page(const char *path)
{
	const size_t length = strlen(path);

	return length > 5 && !strcmp(path + length - 5, ".html");
}

static void page_put(FILE *out, const struct piece *piece)
{
	survey_page(out, piece->survey);
}

static void figures_put(FILE *out, const struct piece *piece)
{
	check_print_json(out, &piece->survey->check);
}

static void picture_put(FILE *out, const struct piece *piece)
{
	survey_draw(out, piece->survey, piece->kind, piece->thread, true);
}

/* Returns false after it has reported an error. */
static bool file_write(const char *path, void (*put)(FILE *out, const struct piece *piece),
		       const struct piece *piece)
{
	FILE *file = file_create(path);

	if (!file)
		return false;
	put(file, piece);
	return file_close(file, path);
}

/* Makes a PNG file of an SVG file. Returns 0, an errno if the converter cannot be started, or -1 if it fails. */
static int png_make(const char *svg, const char *png)
{
	char *words[] = { (char *)CONVERTER, (char *)"-o", (char *)png, (char *)svg, NULL };
	int error, status;
	pid_t child;

	error = posix_spawnp(&child, CONVERTER, NULL, NULL, words, environ);
	if (error)
		return error;
	if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status))
		return -1;
	return 0;
}

/* Writes a picture as SVG, and as PNG if *png is true. Sets *png to false if the converter cannot be started. */
static bool picture_write(const struct piece *piece, const char *folder, bool *png)
{
	const struct survey_picture *picture = &survey_pictures[piece->kind];
	const struct check_thread *thread = &piece->survey->check.thread[piece->thread];
	char name[SURVEY_TEXT], svg[PATH_MAX], converted[PATH_MAX];
	int error;

	if (picture->each)
		snprintf(name, sizeof(name), "%s-%u-%u", picture->name, thread->cpu, thread->id);
	else
		snprintf(name, sizeof(name), "%s", picture->name);
	snprintf(svg, sizeof(svg), "%s/%s.svg", folder, name);
	snprintf(converted, sizeof(converted), "%s/%s.png", folder, name);
	if (!file_write(svg, picture_put, piece))
		return false;
	error = *png ? png_make(svg, converted) : 0;
	if (error < 0) {
		report("%s: " CONVERTER " failed. Convert %s.svg with another program.", converted,
		       name);
		return false;
	}
	if (error) {
		*png = false;
		fprintf(stderr,
			"limpet report: the pictures are written as SVG only, because " CONVERTER
			" cannot be started (%s). Install librsvg2-bin to also get PNG.\n",
			strerror(error));
	}
	return true;
}

static bool pictures_write(const struct survey *survey, const char *folder)
{
	bool png = true;

	for (unsigned int kind = 0; kind < SURVEY_PICTURES; kind++) {
		const unsigned int count = survey_pictures[kind].each ? survey->check.threads : 1;

		for (unsigned int i = 0; i < count; i++) {
			const struct piece piece = { survey, kind, i };

			if (!picture_write(&piece, folder, &png))
				return false;
		}
	}
	return true;
}

bool survey_write(const struct survey *survey, const char *path)
{
	const struct piece whole = { .survey = survey };
	char page[PATH_MAX], figures[PATH_MAX];

	if (survey_is_page(path))
		return file_write(path, page_put, &whole);
	snprintf(page, sizeof(page), "%s/index.html", path);
	snprintf(figures, sizeof(figures), "%s/check.json", path);
	return file_write(page, page_put, &whole) && file_write(figures, figures_put, &whole) &&
	       pictures_write(survey, path);
}
