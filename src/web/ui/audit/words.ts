import type { Schemas } from "../../../client/index.ts";
import { capitalized } from "../../lib/capitalized.ts";
import { useDeclaredActions } from "../../lib/features.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { actionTexts, auditTexts, valueTexts } from "../../texts/audit.ts";
import { useLabels } from "../labels.ts";
import type { Names } from "./names.ts";

type Event = Schemas["AuditEvent"];
type Named = Readonly<Record<string, string | undefined>>;
type Metadata = Readonly<Record<string, unknown>>;

/** Metadata fields with ids that are not shown, because other fields show the same record. */
const SILENT = new Set(["invitationId", "sessionId", "userId", "serviceAccountId", "successorId"]);
const TIMES = new Set(["endsAt", "expiresAt"]);

/** Describes events. Unknown actions and fields are supported, because the API may add them at any time. */
export function useEventLabels(names: Names) {
  const texts = useTexts(auditTexts);
  const labels = texts as unknown as Named;
  const actions: Named = { ...useTexts(actionTexts), ...useDeclaredActions() };
  const values = useTexts(valueTexts) as unknown as Named;
  const words = useLabels();
  const { list, dateTime } = useFormat();

  /**
   * Returns the text for an entry of the metadata field `added`, `removed`, `roles` or `assignments`: the name of a
   * role or unit, and the role's unit.
   */
  function entry(one: unknown): string {
    if (typeof one === "string") return words.role(one);
    const { roleName, unitName } = one as Metadata;
    if (typeof roleName === "string")
      return words.grant(roleName, typeof unitName === "string" ? unitName : null);
    return typeof unitName === "string" ? unitName : "";
  }
  function value(key: string, raw: unknown): string {
    if (key === "parentId") return raw === null ? texts.top : (names.unit(String(raw)) ?? texts.gone);
    if (key === "defaultRoleId")
      return raw === null ? texts.nothing : words.role(names.role(String(raw)) ?? texts.gone);
    if (raw === null || raw === undefined || raw === "") return texts.nothing;
    if (typeof raw === "boolean") return raw ? texts.yes : texts.no;
    if (typeof raw === "number") return key === "number" ? `#${raw}` : String(raw);
    if (Array.isArray(raw)) {
      if (raw.length === 0) return texts.nothing;
      return list(raw.map((one) => (key === "permissions" ? words.permission(String(one)) : entry(one))));
    }
    if (typeof raw === "object") return JSON.stringify(raw);
    if (TIMES.has(key)) return dateTime(String(raw));
    return key === "name" ? words.role(String(raw)) : (values[String(raw)] ?? String(raw));
  }
  const isObject = (raw: unknown): raw is Metadata =>
    typeof raw === "object" && raw !== null && !Array.isArray(raw);

  /**
   * Returns the changed fields with their values. If the object did not exist before, such as a subscription, only new
   * values are shown.
   */
  function change({ from, to }: Metadata, of: string): [string, string][] {
    const both = (key: string, before: unknown, after: unknown): [string, string] => [
      key,
      `${value(key, before)} → ${value(key, after)}`,
    ];
    if (!isObject(from) && !isObject(to)) return [both(of, from, to)];
    const [before, after] = [isObject(from) ? from : {}, isObject(to) ? to : {}];
    return [...new Set([...Object.keys(before), ...Object.keys(after)])]
      .filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]))
      .map((key) => both(key, before[key], after[key]));
  }
  function facts({ action, metadata, product }: Event): [string, string][] {
    const data = metadata as Metadata;
    // The data of the product are its own: they are shown as they are.
    if (product)
      return Object.entries(data).map(([key, raw]) => [key, typeof raw === "string" ? raw : value("", raw)]);
    const of = action.startsWith("EMAIL") ? "email" : action.includes("PLAN") ? "plan" : "status";
    const found = "from" in data ? change(data, of) : [];
    for (const [key, raw] of Object.entries(data)) {
      if (key === "from" || key === "to" || SILENT.has(key)) continue;
      // The field `roles` has only names. The field `assignments` has the same roles with their units.
      if (key === "roles" && "assignments" in data) continue;
      if (Array.isArray(raw) && raw.length === 0) continue;
      if (key === "supersededId") {
        if (raw !== null) found.push([key, texts.yes]);
        continue;
      }
      found.push([key === "assignments" ? "roles" : key, value(key, raw)]);
    }
    return found;
  }
  return {
    /** Says what happened, without names: "Created a unit". */
    title: ({ action }: Event) => actions[action] ?? sentenceOf(action),
    facts,
    details: (event: Event) => facts(event).map(([key, text]) => texts.value(labels[key] ?? key, text)),
    value,
    /** Returns the target of an event; null if it is unknown, or if the metadata shows it already. */
    target({ targetType, targetId, action }: Event): string | null {
      if (targetId === null) return null;
      // The target of these events is the actor, so it is not shown again.
      if (action === "USER_INVITATION_ACCEPTED" || action === "MEMBER_LEFT") return null;
      if (targetType === "user") return names.person(targetId) ?? texts.formerMember;
      if (targetType === "unit" && action === "UNIT_UPDATED") return names.unit(targetId) ?? texts.gone;
      if (targetType === "role" && action === "ROLE_UPDATED")
        return words.role(names.role(targetId) ?? texts.gone);
      return null;
    },
  };
}
export type EventLabels = ReturnType<typeof useEventLabels>;

/** Returns "Member roles changed" for the unknown action `MEMBER_ROLES_CHANGED`. */
const sentenceOf = (action: string) => capitalized(action.toLowerCase().replaceAll("_", " "));
