import { readFileSync } from "node:fs";
import Database from "libsql";

export const FILES = new URL("../", import.meta.url);
export const read = (name) => readFileSync(new URL(name, FILES), "utf8");

const database = new Database(process.env.DATA ?? "inspections.db");
database.exec(read("schema.sql"));

/** Returns the rows of a statement with named parameters. */
export const rows = (statement, values = {}) => database.prepare(statement).all(values);

/** Runs a statement; returns how many rows it changed. */
export const run = (statement, values = {}) => database.prepare(statement).run(values).changes;

/** Runs `work`, which is synchronous, in a transaction. */
export const transaction = (work) => database.transaction(work)();
