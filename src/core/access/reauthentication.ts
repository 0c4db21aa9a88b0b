/**
 * The classes of routes that need a recent proof of identity (rules 33.5). Routes of the class `credentials` always
 * need it. Other routes need it if `REAUTHENTICATION_MINUTES` is set and `REAUTHENTICATION_FOR` names one of their
 * classes.
 */
export const CONFIGURABLE_CLASSES = ["account", "authority", "billing", "platform"] as const;
export type ConfigurableClass = (typeof CONFIGURABLE_CLASSES)[number];
type ReauthenticationClass = ConfigurableClass | "credentials";

/** The recent proof of identity that a route needs: that of one class, or of one of several classes. */
export type Reauthentication = {
  classes: readonly [ReauthenticationClass, ...ReauthenticationClass[]];
  /** If set, the route needs the proof only for bodies with this field, or one of these, or only if the field has this value. */
  ifBodyHas?: { field: string | readonly string[]; value?: boolean };
  /** If set, the route checks a password in the body, which is a proof by itself. */
  takesPassword?: true;
};

const CREDENTIALS_SECONDS = 10 * 60;

/** Returns the maximum age in seconds of the proof that a route needs; null if it needs no proof. */
export function maxProofAgeOf(
  { classes }: Reauthentication,
  {
    reauthenticationMinutes,
    reauthenticationFor,
  }: { reauthenticationMinutes: number | null; reauthenticationFor: readonly ConfigurableClass[] },
): number | null {
  if (classes.includes("credentials")) return credentialsProofAgeOf({ reauthenticationMinutes });
  const configured = reauthenticationMinutes === null ? null : reauthenticationMinutes * 60;
  return classes.some((name) => reauthenticationFor.includes(name as ConfigurableClass)) ? configured : null;
}

/**
 * Whether the proof is asked for a write in an organization, so that a proof by its connection counts and its own policy
 * may ask for a younger one. A proof of class `credentials` is always the account's own.
 */
export const isOfOrganization = ({ classes }: Reauthentication): boolean =>
  !classes.includes("credentials") && classes.some((name) => name === "authority" || name === "billing");

/** Returns how old the proof of class `credentials` may be, in seconds. */
export const credentialsProofAgeOf = ({
  reauthenticationMinutes,
}: {
  reauthenticationMinutes: number | null;
}): number =>
  reauthenticationMinutes === null
    ? CREDENTIALS_SECONDS
    : Math.min(CREDENTIALS_SECONDS, reauthenticationMinutes * 60);

/** Returns for how many hours a sign-in by a connection counts where the organization says nothing; null if single sign-on is off. */
export const ssoHoursOf = ({ sso, ssoProofHours }: { sso: boolean; ssoProofHours: number }): number | null =>
  sso ? ssoProofHours : null;
