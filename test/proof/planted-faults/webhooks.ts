import type { PlantedFault } from "../planted-faults.ts";
import { only } from "./fuzz-command.ts";

/** Planted faults of events and webhooks. */
export const WEBHOOK_FAULTS: PlantedFault[] = [
  {
    name: "fuzz: webhooks of an organization also go to endpoints of others",
    command: only("createUnit", "updateUnit", "createTodo", "createRole"),
    edits: [
      [
        "sql/events.queries.ts",
        "FROM recorded r JOIN endpoints e ON e.organization_id = r.organization_id AND (r.type",
        "FROM recorded r JOIN endpoints e ON (r.type",
      ],
    ],
    expected: /^leak: A webhook/,
  },
  {
    name: "fuzz: a changed unit writes no event for other systems",
    command: only("createUnit", "updateUnit", "deleteUnit"),
    edits: [
      [
        "src/core/effects/event.ts",
        "if (!tx.app.config.events) return;",
        'if (type === "unit.updated") return;',
      ],
    ],
    expected: /^changed: .*/,
  },
];
