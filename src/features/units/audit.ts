import { z } from "@hono/zod-openapi";
import { type AuditEntry, changeOf, textExample, uuid } from "#kit";
import { endedApps } from "#kit/inside";

const unit = z.object({
  name: textExample("Sales").describe("The name of the unit."),
  parentId: uuid.nullable().describe("The parent unit; null at the top of the tree."),
});

/** The audited actions (rules 16.4 to 16.7). */
export const audit = {
  UNIT_CREATED: { target: "unit", metadata: unit },
  UNIT_UPDATED: { target: "unit", metadata: changeOf(unit) },
  UNIT_DELETED: { target: "unit", metadata: unit.extend({ endedApps }) },
} as const satisfies Record<string, AuditEntry>;
