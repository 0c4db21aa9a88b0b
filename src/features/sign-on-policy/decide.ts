import type { z } from "zod";
import { validationFailed } from "#kit";
import type { StoredPolicy } from "./read.ts";
import { SCOPES, type UpdateSignOnPolicyBody } from "./schemas.ts";

/** The policy after a change. */
export type Wanted = Omit<StoredPolicy, "version" | "updatedAt">;

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 7;
const MAX_DAYS = 90;
/** A time so close counts as now. */
const NOW_MS = 60_000;

const rank = (scope: (typeof SCOPES)[number]) => SCOPES.indexOf(scope);

/**
 * Decides what holds at once and what is announced. What is only looser holds at once and drops what was announced; with a tighter part
 * the whole is announced for later, and replaces what was announced before.
 * @throws validationFailed for an unsuitable time
 * @example decide({ scope: "off", … }, { scope: "everyone" }, now) // off now, everyone announced in seven days
 */
export function decide(
  before: StoredPolicy,
  body: z.output<typeof UpdateSignOnPolicyBody>,
  now: Date,
): Wanted {
  const { version: _version, updatedAt: _updatedAt, ...kept } = before;
  const { maxSessionHours = kept.maxSessionHours, reauthenticationMinutes = kept.reauthenticationMinutes } =
    body;
  const times = { maxSessionHours, reauthenticationMinutes };
  const enforceFrom = timeOf(body.enforceFrom, now);
  if (body.scope === undefined && body.requireTwoFactor === undefined && body.enforceFrom === undefined)
    return { ...kept, ...times };
  const latest = isOnlyLooser(kept, body) ? kept : (kept.announced ?? kept);
  const target = {
    scope: body.scope ?? latest.scope,
    requireTwoFactor: body.requireTwoFactor ?? latest.requireTwoFactor,
  };
  const isTight =
    rank(target.scope) > rank(kept.scope) || (target.requireTwoFactor && !kept.requireTwoFactor);
  if (!isTight || enforceFrom.getTime() <= now.getTime()) return { ...target, announced: null, ...times };
  return {
    scope: rank(target.scope) < rank(kept.scope) ? target.scope : kept.scope,
    requireTwoFactor: kept.requireTwoFactor && target.requireTwoFactor,
    announced: { ...target, enforceFrom },
    ...times,
  };
}

/** Whether the parts that are sent make something looser than it holds or is announced, and nothing tighter than it holds. */
function isOnlyLooser(
  kept: Pick<Wanted, "scope" | "requireTwoFactor" | "announced">,
  { scope, requireTwoFactor }: z.output<typeof UpdateSignOnPolicyBody>,
): boolean {
  const latest = kept.announced ?? kept;
  const isTighter =
    (scope !== undefined && rank(scope) > rank(kept.scope)) || (requireTwoFactor && !kept.requireTwoFactor);
  const isLooser =
    (scope !== undefined && rank(scope) < rank(latest.scope)) ||
    (requireTwoFactor === false && latest.requireTwoFactor);
  return isLooser && !isTighter;
}

function timeOf(text: string | undefined, now: Date): Date {
  if (text === undefined) return new Date(now.getTime() + DEFAULT_DAYS * DAY_MS);
  const time = new Date(text);
  const ahead = time.getTime() - now.getTime();
  if (Math.abs(ahead) <= NOW_MS) return now;
  const path = "enforceFrom";
  if (ahead < 0) throw validationFailed([{ path, message: "enforceFrom must be in the future" }]);
  if (ahead > MAX_DAYS * DAY_MS)
    throw validationFailed([{ path, message: `enforceFrom must be within ${MAX_DAYS} days` }]);
  return time;
}

/** Whether a change makes something tighter, now or later: that needs the feature of the plan. */
export function isTighter(before: StoredPolicy, after: Wanted): boolean {
  const [was, is] = [before.announced ?? before, after.announced ?? after];
  const isShorter = (from: number | null, to: number | null) => to !== null && (from === null || to < from);
  return (
    rank(is.scope) > rank(was.scope) ||
    (is.requireTwoFactor && !was.requireTwoFactor) ||
    isShorter(before.maxSessionHours, after.maxSessionHours) ||
    isShorter(before.reauthenticationMinutes, after.reauthenticationMinutes)
  );
}
