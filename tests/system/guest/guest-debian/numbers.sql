PRAGMA journal_mode = WAL;
CREATE TABLE numbers (n INTEGER PRIMARY KEY, square INTEGER, name TEXT);
BEGIN;
WITH RECURSIVE count(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM count WHERE n < 20000)
	INSERT INTO numbers SELECT n, n * n, printf('%06d', n) FROM count;
COMMIT;
CREATE INDEX names ON numbers (name);
DELETE FROM numbers WHERE n % 3 = 0;
UPDATE numbers SET name = name || 'x' WHERE n % 5 = 0;
SELECT count(*), sum(square), min(name), max(name) FROM numbers;
VACUUM;
PRAGMA integrity_check;
