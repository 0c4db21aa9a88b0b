import type { Schemas } from "../../../client/index.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { useLabels } from "../shared/labels.ts";
import type { Names } from "./names.ts";
import { actionTexts, auditTexts, valueTexts } from "./texts.ts";

type Event = Schemas["AuditEvent"];
type Named = Readonly<Record<string, string | undefined>>;
type Metadata = Readonly<Record<string, unknown>>;

/** Metadata fields with ids that are not shown, because other fields show the same record. */
const SILENT = new Set(["invitationId", "sessionId", "userId"]);

/**
 * Describes events: `title` says what happened, `details` has a line for each metadata field. Unknown actions and
 * fields are supported, because the API may add them at any time.
 */
export function useEventLabels(names: Names) {
  const texts = useTexts(auditTexts);
  const labels = texts as unknown as Named;
  const actions = useTexts(actionTexts) as unknown as Named;
  const values = useTexts(valueTexts) as unknown as Named;
  const words = useLabels();
  const { list } = useFormat();

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
    return key === "name" ? words.role(String(raw)) : (values[String(raw)] ?? String(raw));
  }
  const label = (key: string) => labels[key] ?? key;
  const isObject = (raw: unknown): raw is Metadata =>
    typeof raw === "object" && raw !== null && !Array.isArray(raw);

  /**
   * Returns a line for each changed field. If the object did not exist before, such as a subscription, only new
   * values are shown.
   */
  function change({ from, to }: Metadata, of: string): string[] {
    if (!isObject(from) && !isObject(to)) return [texts.changed(label(of), value(of, from), value(of, to))];
    const [before, after] = [isObject(from) ? from : {}, isObject(to) ? to : {}];
    return [...new Set([...Object.keys(before), ...Object.keys(after)])]
      .filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]))
      .map((key) => texts.changed(label(key), value(key, before[key]), value(key, after[key])));
  }
  function details({ action, metadata }: Event): string[] {
    const data = metadata as Metadata;
    const lines = "from" in data ? change(data, action.includes("PLAN") ? "plan" : "status") : [];
    for (const [key, raw] of Object.entries(data)) {
      if (key === "from" || key === "to" || SILENT.has(key)) continue;
      // The field `roles` has only names. The field `assignments` has the same roles with their units.
      if (key === "roles" && "assignments" in data) continue;
      if (Array.isArray(raw) && raw.length === 0) continue;
      if (key === "supersededId" || key === "existingAccount") {
        if (raw !== null) lines.push(label(key));
      } else if (key === "assignments") lines.push(texts.value(texts.roles, value(key, raw)));
      else lines.push(texts.value(label(key), value(key, raw)));
    }
    return lines;
  }
  return {
    title: ({ action }: Event) => actions[action] ?? action.toLowerCase().replaceAll("_", " "),
    details,
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
