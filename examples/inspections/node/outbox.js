import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { ApiError } from "multi-organization-service-client/server";
import { product } from "./service.js";
import { rows, run, transaction } from "./store.js";

/* A call is stored together with the change that it reports, and sent with the same key until it is answered. */

const inFlight = new Set();

/** Whether the service decided. 401 is not final: the product's key is wrong, which the operator corrects. */
const isFinal = (error) =>
  error instanceof ApiError && ![401, 408, 409, 429].includes(error.status) && error.status < 500;

/**
 * Changes the record `id` by a statement, reports it, and returns when the service has answered, or does not.
 * Returns false if the record is not in the state that the statement asks for.
 */
export async function write({ caller, ip, id }, statement, values, changes) {
  const key = randomUUID();
  const { organization, actor } = caller;
  const who = { organizationId: organization.id, actor: { type: actor.type, id: actor.id }, ip };
  const isChanged = transaction(() => {
    if (run(statement, { id, ...values }) === 0) return false;
    const call = JSON.stringify({ ...who, ...changes });
    run("INSERT INTO outbox VALUES (:key, :id, :call)", { key, id, call });
    // Set before the commit, so that the sweep leaves the call to this request.
    inFlight.add(key);
    return true;
  });
  if (isChanged) await send(key);
  return isChanged;
}

async function send(key) {
  try {
    const [{ id, call }] = rows("SELECT inspection_id AS id, call FROM outbox WHERE key = :key", { key });
    const failure = await product
      .changes(JSON.parse(call), { idempotencyKey: key, retries: 0, timeoutMs: 10_000 })
      .then(
        () => null,
        (error) => error,
      );
    if (failure && !isFinal(failure)) return console.error("no answer:", failure.message);
    const reason = failure && (failure.errors[0]?.message ?? failure.message);
    if (reason) console.error("refused:", reason);
    const settle =
      failure?.status === 404 // The organization was deleted.
        ? "DELETE FROM inspections WHERE id = :id AND state = 'pending'"
        : "UPDATE inspections SET state = :state, reason = :reason WHERE id = :id AND state = 'pending'";
    transaction(() => {
      run("DELETE FROM outbox WHERE key = :key", { key });
      run(settle, { id, reason, state: reason ? "refused" : "active" });
    });
  } finally {
    inFlight.delete(key);
  }
}

/** Sends again what was not answered to this process or to one that was killed. */
export async function sweep() {
  for (const { key } of rows("SELECT key FROM outbox ORDER BY rowid")) {
    if (inFlight.has(key) || rows("SELECT 1 FROM outbox WHERE key = :key", { key }).length === 0) continue;
    inFlight.add(key);
    await send(key);
  }
  await setTimeout(1000);
}
