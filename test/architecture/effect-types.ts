import type { Tx } from "../../src/core/context.ts";
import { audit } from "../../src/core/effects/audit.ts";
import { notify } from "../../src/core/effects/notify.ts";

/**
 * What writes events and notifications refuses what the document does not describe. Never run: tsc checks it with the rest,
 * and reports every `@ts-expect-error` whose next line compiles.
 */
export async function effects(tx: Tx) {
  const target = { type: "user", id: "x" } as const;
  await audit(tx, "SIGN_IN_METHOD_ADDED", { target, metadata: { provider: "google" } });
  await audit(tx, "EMAIL_VERIFIED", { target });
  // @ts-expect-error it has metadata
  await audit(tx, "SIGN_IN_METHOD_ADDED", { target });
  // @ts-expect-error that of another action
  await audit(tx, "SIGN_IN_METHOD_ADDED", { target, metadata: { via: "self" } });
  // @ts-expect-error it happens to a unit
  await audit(tx, "UNIT_CREATED", { target, metadata: { name: "Sales", parentId: null } });
  // @ts-expect-error it happens to somebody
  await audit(tx, "EMAIL_VERIFIED", { target: null });
  await notify(tx, "x", "PASSWORD_CHANGED", { via: "reset" });
  // @ts-expect-error no such way
  await notify(tx, "x", "PASSWORD_CHANGED", { via: "luck" });
}
