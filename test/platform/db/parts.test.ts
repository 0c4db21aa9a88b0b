import { expect, test } from "bun:test";
import { systemCall } from "../../../src/core/context.ts";
import { dryRun, savepoint } from "../../../src/platform/db/parts.ts";
import { transaction } from "../../../src/platform/db/transaction.ts";
import { conflict } from "../../../src/platform/errors.ts";
import { startService } from "../../support/service.ts";

const t = await startService();
await t.sql("CREATE TABLE parts (name text NOT NULL UNIQUE)");
const call = systemCall(t.running);
type Tx = Parameters<Parameters<typeof transaction<typeof call, void>>[1]>[0];
const insert = (tx: Tx, name: string | null) => tx.db.query("INSERT INTO parts VALUES ($1)", [name]);
const insertLater = (tx: Tx, name: string) => tx.effects.query("INSERT INTO parts VALUES ($1)", [name]);
const stored = async () => {
  const rows = await t.sql<{ name: string }>("SELECT name FROM parts ORDER BY name");
  await t.sql("DELETE FROM parts");
  return rows.map(({ name }) => name);
};

test("a refused part is undone with its effects, and what is before and after it is committed", async () => {
  await transaction(call, async (tx) => {
    await insert(tx, "before");
    const refused = savepoint(tx, async () => {
      await insert(tx, "refused");
      await insertLater(tx, "refused effect");
      throw conflict();
    });
    await expect(refused).rejects.toThrow("Conflict");
    expect(await savepoint(tx, async () => insertLater(tx, "accepted").then(() => 1))).toBe(1);
    await insert(tx, "after");
  });
  expect(await stored()).toEqual(["accepted", "after", "before"]);
});

test("a statement that fails in a part fails the transaction, also if it is an effect and the part is then refused", async () => {
  const failing = [
    async (tx: Tx) => void (await insert(tx, null)),
    async (tx: Tx) => {
      await insertLater(tx, "before");
      throw conflict();
    },
  ];
  for (const part of failing) {
    const work = transaction(call, async (tx) => {
      await insert(tx, "before");
      await savepoint(tx, () => part(tx)).catch((error) => {
        if (error.code !== "CONFLICT") throw error;
      });
    });
    await expect(work).rejects.toThrow(/not-null|unique/);
    expect(await stored()).toEqual([]);
  }
});

test("a dry run returns its result and writes nothing; one of its effects that fails, fails it", async () => {
  const work = async (tx: Tx) => {
    await insert(tx, "dry");
    return "result";
  };
  expect(await dryRun(call, work)).toBe("result");
  expect(await stored()).toEqual([]);
  const failing = dryRun(call, async (tx) => {
    await insert(tx, "dry");
    await insertLater(tx, "dry");
  });
  await expect(failing).rejects.toThrow("unique");
  await expect(dryRun(call, () => Promise.reject(conflict()))).rejects.toThrow("Conflict");
});
