import { eventsAbout, feature, type LimitEntry } from "#kit";
import { listSeatChanges } from "#sql/members";
import { countSeats } from "../../core/accounts/pending-invitations.ts";
import { audit } from "./audit.ts";
import { notifications } from "./notifications.ts";
import { personalData } from "./personal-data.ts";
import { memberRoutes } from "./routes.ts";
import { Member } from "./schemas.ts";

const permissions = {
  "Members.Read": ["unit", "See members"],
  "Members.UpdateRoles": ["unit", "Change members' roles"],
  "Members.UpdateUnits": ["unit", "Change members' units"],
  "Members.Delete": ["unit", "Remove members"],
} as const;

const limits = {
  members: {
    count: countSeats,
    changes: (db, period) => listSeatChanges.run(period, db),
    text: { en: "Members", el: "Μέλη" },
  },
} as const satisfies Record<string, LimitEntry>;

const events = eventsAbout(Member, "Members.Read", {
  "member.created": "A person became a member.",
  "member.updated": "Roles, units or the name of a member changed.",
  "member.deleted": "A member was removed or left, or the account was deleted.",
});

declare module "#src/core/definitions/features" {
  interface Features {
    members: {
      permissions: typeof permissions;
      limits: typeof limits;
      events: typeof events;
      audit: typeof audit;
      notifications: typeof notifications;
    };
  }
}

export const members = feature({
  tags: { members: "Members of the active organization, their roles and units." },
  permissions,
  limits,
  events,
  audit,
  notifications,
  routes: [memberRoutes],
  personalData,
});
