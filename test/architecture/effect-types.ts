import type { Tx } from "../../src/core/context.ts";
import { audit } from "../../src/core/effects/audit.ts";
import { notify } from "../../src/core/effects/notify.ts";

/**
 * Tests at compile time that `audit()` and `notify()` accept only what the OpenAPI document describes. tsc reports
 * every `@ts-expect-error` whose next line has no error. The file is never executed.
 */
export async function effects(tx: Tx) {
  const target = { type: "user", id: "x" } as const;
  await audit(tx, "SIGN_IN_METHOD_ADDED", { target, metadata: { provider: "google" } });
  await audit(tx, "EMAIL_VERIFIED", { target });
  // @ts-expect-error the metadata of this action is missing
  await audit(tx, "SIGN_IN_METHOD_ADDED", { target });
  // @ts-expect-error metadata of another action
  await audit(tx, "SIGN_IN_METHOD_ADDED", { target, metadata: { via: "self" } });
  // @ts-expect-error the target of this action is a unit
  await audit(tx, "UNIT_CREATED", { target, metadata: { name: "Sales", parentId: null } });
  // @ts-expect-error the target of this action cannot be null
  await audit(tx, "EMAIL_VERIFIED", { target: null });
  await notify(tx, "x", "PASSWORD_CHANGED", { via: "reset" });
  // @ts-expect-error an unknown value of `via`
  await notify(tx, "x", "PASSWORD_CHANGED", { via: "luck" });
}
