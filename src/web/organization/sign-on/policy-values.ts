import type { Schemas } from "../../../client/index.ts";
import { localTime } from "../../lib/local-time.ts";

export type SignOnPolicy = Schemas["SignOnPolicy"];
export type PolicyChange = Omit<Schemas["UpdateSignOnPolicyBody"], "version">;

export const SCOPES = ["off", "domains", "everyone"] as const;

/** The fields of the policy, as they are entered. Empty texts stand for what the API chooses. */
export type PolicyValues = {
  scope: SignOnPolicy["scope"];
  requireTwoFactor: boolean;
  enforceFrom: string;
  maxSessionHours: string;
  reauthenticationMinutes: string;
};

/** Returns the fields of a policy: what is announced, otherwise what holds. */
export function valuesOf(policy: SignOnPolicy): PolicyValues {
  const { announced, maxSessionHours, reauthenticationMinutes } = policy;
  const { scope, requireTwoFactor } = announced ?? policy;
  return {
    scope,
    requireTwoFactor,
    enforceFrom: announced === null ? "" : localTime(new Date(announced.enforceFrom)),
    maxSessionHours: String(maxSessionHours ?? ""),
    reauthenticationMinutes: String(reauthenticationMinutes ?? ""),
  };
}

const rank = (scope: SignOnPolicy["scope"]) => SCOPES.indexOf(scope);

/** Whether something would be stricter than it is now: that is announced, with a time. */
export const isStricter = (
  policy: SignOnPolicy,
  { scope, requireTwoFactor }: Pick<PolicyValues, "scope" | "requireTwoFactor">,
): boolean => rank(scope) > rank(policy.scope) || (requireTwoFactor && !policy.requireTwoFactor);

/** Whether the change concerns what is announced. */
export const touchesRules = (changed: Partial<PolicyValues>): boolean =>
  changed.scope !== undefined || changed.requireTwoFactor !== undefined || changed.enforceFrom !== undefined;

const numberOf = (text: string) => (text === "" ? null : Number(text));

/**
 * Returns what is sent for changed fields. While something is announced, a stricter policy is sent as a whole: a part of
 * it could drop the other parts of the announcement.
 */
export function changeOf(
  policy: SignOnPolicy,
  values: PolicyValues,
  changed: Partial<PolicyValues>,
): PolicyChange {
  const { maxSessionHours: hours, reauthenticationMinutes: minutes } = changed;
  const rules = isStricter(policy, values)
    ? {
        ...(policy.announced === null ? rulesOf(changed) : rulesOf(values)),
        ...timeOf(policy, values, changed),
      }
    : rulesOf(changed);
  return {
    ...(touchesRules(changed) && rules),
    ...(hours !== undefined && { maxSessionHours: numberOf(hours) }),
    ...(minutes !== undefined && { reauthenticationMinutes: numberOf(minutes) }),
  };
}

const rulesOf = ({ scope, requireTwoFactor }: Partial<PolicyValues>) => ({
  ...(scope !== undefined && { scope }),
  ...(requireTwoFactor !== undefined && { requireTwoFactor }),
});

function timeOf({ announced }: SignOnPolicy, { enforceFrom }: PolicyValues, changed: Partial<PolicyValues>) {
  // The field has no seconds, so a time that was not changed is sent as it was announced.
  if (changed.enforceFrom === undefined && announced !== null) return { enforceFrom: announced.enforceFrom };
  return enforceFrom === "" ? {} : { enforceFrom: new Date(enforceFrom).toISOString() };
}
