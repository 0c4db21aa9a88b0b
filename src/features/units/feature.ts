import { eventsAbout, feature, type LimitEntry } from "#kit";
import { listUnitChanges } from "#sql/units";
import { audit } from "./audit.ts";
import { countUnits } from "./read.ts";
import { unitRoutes } from "./routes.ts";
import { Unit } from "./schemas.ts";

const permissions = {
  "Units.Read": ["unit", "See units", "member"],
  "Units.Create": ["unit", "Create units"],
  "Units.Update": ["unit", "Rename and move units"],
  "Units.Delete": ["unit", "Delete units"],
} as const;

const limits = {
  units: {
    count: countUnits,
    changes: (db, period) => listUnitChanges.run(period, db),
    text: { en: "Units", el: "Μονάδες" },
  },
} as const satisfies Record<string, LimitEntry>;

const events = eventsAbout(Unit, "Units.Read", {
  "unit.created": "A unit was created.",
  "unit.updated": "A unit was renamed or moved.",
  "unit.deleted": "A unit was deleted.",
});

/** Whom an audit event about such a record concerns (rules 16.14). */
const targets = { unit: "unit" } as const;

declare module "#src/core/definitions/features" {
  interface Features {
    units: {
      permissions: typeof permissions;
      limits: typeof limits;
      events: typeof events;
      audit: typeof audit;
      targets: typeof targets;
    };
  }
}

export const units = feature({
  tags: { units: "The tree of units of the active organization." },
  permissions,
  limits,
  events,
  audit,
  targets,
  routes: [unitRoutes],
});
