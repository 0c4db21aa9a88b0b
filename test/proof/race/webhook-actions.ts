import { type Action, patch, post, remove } from "./send.ts";

const ENDPOINTS = "/api/webhooks/endpoints";
const at = (id: string | undefined, part = "") => `${ENDPOINTS}/${id}${part}`;
const register = (url: string) => ({ url, eventTypes: ["todo.created"] });

/** Writes about webhook endpoints and their deliveries. The plan allows one more endpoint. */
export const WEBHOOK_ACTIONS: Record<string, Action> = {
  "create endpoint": (w) => post(ENDPOINTS, w.people.founder, register("https://one.example.com/")),
  "create another endpoint": (w) => post(ENDPOINTS, w.people.second, register("https://two.example.com/")),
  "create endpoint by key": (w) => post(ENDPOINTS, { token: w.key }, register("https://key.example.com/")),
  "change endpoint's types": (w) =>
    patch(at(w.ids.endpoint), w.people.founder, { eventTypes: ["unit.created"] }),
  "change endpoint's address": (w) =>
    patch(at(w.ids.endpoint), w.people.second, { url: "https://new.example.com/" }),
  "describe endpoint": (w) => patch(at(w.ids.endpoint), w.people.second, { description: "new" }),
  "disable endpoint": (w) => patch(at(w.ids.endpoint), w.people.founder, { enabled: false }),
  "enable endpoint": (w) => patch(at(w.ids["disabled endpoint"]), w.people.second, { enabled: true }),
  "delete endpoint": (w) => remove(at(w.ids.endpoint), w.people.second),
  "rotate secret": (w) => post(at(w.ids.endpoint, "/rotate-secret"), w.people.founder, {}),
  "rotate secret at once": (w) =>
    post(at(w.ids.endpoint, "/rotate-secret"), w.people.second, { overlapSeconds: 0 }),
  "test endpoint": (w) => post(at(w.ids.endpoint, "/test"), w.people.founder),
  "resend delivery": (w) =>
    post(at(w.ids.endpoint, `/deliveries/${w.ids.delivery}/resend`), w.people.founder),
  "resend delivery again": (w) =>
    post(at(w.ids.endpoint, `/deliveries/${w.ids.delivery}/resend`), w.people.second),
  "recover deliveries": (w) =>
    post(at(w.ids.endpoint, "/recover"), w.people.second, { from: "2026-01-01T00:00:00Z" }),
};

/** Writes that decide who may change endpoints, that end them, or that lock the same rows. */
export const ACTIONS_AGAINST_WEBHOOKS = [
  ...["delete account of a machine", "disable account", "revoke key", "demote founder", "demote second"],
  ...["remove founder", "leave as second", "suspend", "delete organization", "smaller plan", "no override"],
  ...["create todo", "rename unit"],
];
