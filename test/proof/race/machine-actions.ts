import { roleOf } from "./fixture.ts";
import { type Action, type ActionRequest, patch, post, remove } from "./send.ts";

const ACCOUNTS = "/api/service-accounts";
const assigned = (roleId: string | undefined, unitId: string | null = null) => ({
  assignments: [{ roleId: roleId ?? "", unitId }],
});
const MEMBER = roleOf("MEMBER");

/** Writes that change service accounts and API keys, by people and by an API key. */
export const MACHINE_ACTIONS: Record<string, Action> = {
  "create account": (w) => post(ACCOUNTS, w.people.founder, { name: "Bot", ...assigned(MEMBER) }),
  "create account with a role": (w) =>
    post(ACCOUNTS, w.people.second, { name: "BOT", ...assigned(w.ids.unused) }),
  "create account in a unit": (w) =>
    post(ACCOUNTS, w.people.second, { name: "Other bot", ...assigned(MEMBER, w.ids.empty) }),
  "give account a role": (w) =>
    patch(`${ACCOUNTS}/${w.ids["full machine"]}/roles`, w.people.second, assigned(w.ids.unused)),
  "demote account": (w) => patch(`${ACCOUNTS}/${w.ids.machine}/roles`, w.people.second, assigned(MEMBER)),
  "disable account": (w) => patch(`${ACCOUNTS}/${w.ids.machine}`, w.people.second, { enabled: false }),
  "rename account": (w) => patch(`${ACCOUNTS}/${w.ids.machine}`, w.people.founder, { name: "bot" }),
  "delete account of a machine": (w) => remove(`${ACCOUNTS}/${w.ids.machine}`, w.people.second),
  "create key": (w) => post(`${ACCOUNTS}/${w.ids.machine}/keys`, w.people.second, { name: "new" }),
  "create the tenth key": (w) =>
    post(`${ACCOUNTS}/${w.ids["full machine"]}/keys`, w.people.founder, { name: "tenth" }),
  "rotate key": (w) =>
    post(`${ACCOUNTS}/${w.ids.machine}/keys/${w.ids.key}/rotate`, w.people.founder, { overlapSeconds: 60 }),
  "rotate key at once": (w) =>
    post(`${ACCOUNTS}/${w.ids.machine}/keys/${w.ids.key}/rotate`, w.people.second, { overlapSeconds: 0 }),
  "revoke key": (w) => remove(`${ACCOUNTS}/${w.ids.machine}/keys/${w.ids.key}`, w.people.second),
  "report key": (w) => post("/api/auth/revoke-key", null, { key: w.key }),
  "narrow key": (w) =>
    patch(`${ACCOUNTS}/${w.ids.machine}/keys/${w.ids.key}`, w.people.founder, { allowedIps: ["192.0.2.1"] }),
  "create role by key": (w) => post("/api/roles", { token: w.key }, { name: "Twin", permissions: [] }),
  "invite by key": (w) =>
    post(
      "/api/members/invitations",
      { token: w.key },
      {
        email: `new-${w.unique}@example.com`,
        ...assigned(w.ids.unused),
      },
    ),
  "move unit by key": (w) => patch(`/api/units/${w.ids.child}`, { token: w.key }, { parentId: w.ids.other }),
};

const once = (more: string, request: ActionRequest): ActionRequest => ({
  ...request,
  headers: { "idempotency-key": more },
});

/**
 * Writes that are repeated with the same `Idempotency-Key`, and a write that reuses the key for a different
 * request.
 */
export const KEYED_ACTIONS: Record<string, Action> = {
  "unit once": (w) => once("once", post("/api/units", w.people.founder, { name: "once", parentId: null })),
  "other unit once": (w) =>
    once("once", post("/api/units", w.people.founder, { name: "other", parentId: null })),
  "role once": (w) => once("role", post("/api/roles", w.people.second, { name: "once", permissions: [] })),
  "key once": (w) =>
    once("key", post(`${ACCOUNTS}/${w.ids.machine}/keys`, w.people.second, { name: "once" })),
  "role once by key": (w) =>
    once("by key", post("/api/roles", { token: w.key }, { name: "once by key", permissions: [] })),
};
