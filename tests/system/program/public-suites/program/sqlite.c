// SPDX-License-Identifier: GPL-2.0
/*
 * Creates a table in the database DATABASE with SQLite's unmodified sources, fills it in transactions, selects, and
 * checks the results. A database in a file is also opened again. Returns the number of wrong results.
 */
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ROWS 500

static int wrong;

static void run(sqlite3 *db, const char *words)
{
	char *error = NULL;

	if (sqlite3_exec(db, words, NULL, NULL, &error) != SQLITE_OK) {
		printf("wrong: %s: %s\n", words, error ? error : "no reason");
		wrong++;
	}
	sqlite3_free(error);
}

/* Checks the first column of the first row of a query. */
static void expect(sqlite3 *db, const char *query, const char *value)
{
	sqlite3_stmt *statement = NULL;
	const unsigned char *found = NULL;

	if (sqlite3_prepare_v2(db, query, -1, &statement, NULL) == SQLITE_OK &&
	    sqlite3_step(statement) == SQLITE_ROW)
		found = sqlite3_column_text(statement, 0);
	if (!found || strcmp((const char *)found, value) != 0) {
		printf("wrong: %s: %s instead of %s\n", query,
		       found ? (const char *)found : sqlite3_errmsg(db), value);
		wrong++;
	}
	sqlite3_finalize(statement);
}

static void fill(sqlite3 *db)
{
	sqlite3_stmt *insert = NULL;
	char name[32];

	run(db,
	    "CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT UNIQUE, size INTEGER CHECK(size >= 0))");
	run(db, "CREATE INDEX sizes ON item(size)");
	run(db, "BEGIN");
	sqlite3_prepare_v2(db, "INSERT INTO item VALUES(?, ?, ?)", -1, &insert, NULL);
	for (int i = 1; i <= ROWS; i++) {
		snprintf(name, sizeof(name), "item %d", i);
		sqlite3_bind_int(insert, 1, i);
		sqlite3_bind_text(insert, 2, name, -1, SQLITE_TRANSIENT);
		sqlite3_bind_int(insert, 3, i * i % 97);
		if (sqlite3_step(insert) != SQLITE_DONE)
			wrong++;
		sqlite3_reset(insert);
	}
	sqlite3_finalize(insert);
	run(db, "COMMIT");
}

static void refused(sqlite3 *db, const char *words, int reason)
{
	int result = sqlite3_exec(db, words, NULL, NULL, NULL);

	if (result != reason) {
		printf("wrong: %s: %d instead of %d\n", words, result, reason);
		wrong++;
	}
}

static void select_and_change(sqlite3 *db)
{
	expect(db, "SELECT count(*) FROM item", "500");
	expect(db, "SELECT sum(id) FROM item", "125250");
	expect(db, "SELECT name FROM item ORDER BY size DESC, id LIMIT 1", "item 22");
	expect(db, "SELECT count(*) FROM item a JOIN item b ON a.id = b.id + 1", "499");
	expect(db, "SELECT printf('%.3f', avg(size * 1.0)) IS NOT NULL FROM item", "1");
	expect(db,
	       "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50) SELECT max(i) FROM n",
	       "50");
	refused(db, "INSERT INTO item VALUES(1, 'twice', 0)", SQLITE_CONSTRAINT);
	refused(db, "INSERT INTO item VALUES(1000, 'negative', -1)", SQLITE_CONSTRAINT);
	refused(db, "SELECT nothing FROM item", SQLITE_ERROR);
	run(db, "BEGIN");
	run(db, "DELETE FROM item");
	expect(db, "SELECT count(*) FROM item", "0");
	run(db, "ROLLBACK");
	run(db, "DELETE FROM item WHERE id > 400");
	run(db, "UPDATE item SET name = upper(name) WHERE id = 7");
}

static void check_end(sqlite3 *db)
{
	expect(db, "SELECT count(*) FROM item", "400");
	expect(db, "SELECT name FROM item WHERE id = 7", "ITEM 7");
	expect(db, "PRAGMA integrity_check", "ok");
}

int main(void)
{
	sqlite3 *db = NULL;
	int in_file = strcmp(DATABASE, ":memory:") != 0;

	if (in_file)
		unlink(DATABASE);
	if (sqlite3_open(DATABASE, &db) != SQLITE_OK)
		return 90;
	fill(db);
	select_and_change(db);
	check_end(db);
	if (in_file) {
		run(db, "VACUUM");
		if (sqlite3_close(db) != SQLITE_OK || sqlite3_open(DATABASE, &db) != SQLITE_OK)
			return 91;
		check_end(db);
	}
	return wrong + (sqlite3_close(db) != SQLITE_OK);
}
