/** Who sent a request to the product, and what they may do there. */
export type Caller<Permission extends string = string> = {
  readonly active: true;
  readonly actor: {
    readonly type: "user" | "service_account";
    readonly id: string;
    readonly isPlatformAdmin: boolean;
  };
  /** The organization that the caller acts in. Read and write only its records. */
  readonly organization: { readonly id: string; readonly name: string; readonly slug: string };
  /** When the user last proved their identity in this session, as an ISO 8601 time; null if unknown. */
  readonly authenticatedAt: string | null;
  /**
   * Whether the caller holds a permission.
   * @param unit the id of a unit; null for the whole organization; omitted for anywhere, as a menu or a list needs it
   */
  readonly can: (permission: Permission, ...unit: [] | [unitId: string | null]) => boolean;
  /**
   * Returns the ids of all units in which the caller holds a permission: `[]` for nowhere, and **null for the whole
   * organization**.
   */
  readonly reach: (permission: Permission) => readonly string[] | null;
};

/** A caller as the service knows them at this moment: also with the name, the plan and its features. */
export type CheckedCaller<Permission extends string = string, Feature extends string = string> = Omit<
  Caller<Permission>,
  "actor" | "organization"
> & {
  readonly actor: Caller["actor"] & {
    readonly email: string | null;
    readonly name: string;
    readonly language: string;
  };
  readonly organization: Caller["organization"] & {
    /** The key of the plan; null if the organization has none. */
    readonly plan: string | null;
    /** The features of the product that the plan has. */
    readonly features: readonly Feature[];
  };
};

/** The answer for a token that is no caller, and why. */
export type Refused = {
  readonly active: false;
  readonly reason:
    | "INVALID"
    | "EXPIRED"
    | "ENDED"
    | "NO_ORGANIZATION"
    | "NOT_A_MEMBER"
    | "SUSPENDED"
    | "TWO_FACTOR_REQUIRED"
    | "IP_NOT_ALLOWED"
    | "SUPPORT_SESSION_REQUIRED";
};

type Grants = {
  readonly permissions: readonly string[];
  readonly unitGrants: readonly {
    readonly permissions: readonly string[];
    readonly units: readonly string[] | null;
  }[];
};

/** Adds the questions to what is known of a caller. */
export function callerOf<Known extends object>(
  known: Known,
  { permissions, unitGrants }: Grants,
): Known & Pick<Caller, "active" | "can" | "reach"> {
  const reach = (permission: string) =>
    permissions.includes(permission)
      ? null
      : [
          ...new Set(
            unitGrants.flatMap((grant) =>
              grant.permissions.includes(permission) && grant.units ? grant.units : [],
            ),
          ),
        ];
  return {
    ...known,
    active: true,
    reach,
    can(permission, ...unit) {
      const units = reach(permission);
      if (units === null) return true;
      // A unit that is undefined by mistake is none. The number of arguments tells it from an omitted one.
      return unit.length === 0 ? units.length > 0 : units.includes(String(unit[0]).toLowerCase());
    },
  };
}

export const refused = (reason: Refused["reason"]): Refused => ({ active: false, reason });
