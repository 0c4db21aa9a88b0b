/* @name findMigration */
SELECT name FROM migrations WHERE name = :name!;
