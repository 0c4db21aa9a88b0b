import { builtInRoles } from "../../../src/core/access/catalog.ts";
import { cheapHash } from "../../support/passwords.ts";
import { Rows } from "../../support/rows.ts";

export const PASSWORD = "wide blue yonder";
const PASSWORD_HASH = await cheapHash(PASSWORD);

/** Returns the id of a built-in role. */
export const roleOf = (name: string): string => builtInRoles.find((role) => role.name === name)?.id ?? "";

type Row = Record<string, unknown>;
export type Account = { id: string; email: string };

/** Collects the rows of an organization with its people, and gives each row a name. All of it is new in each world. */
export class World {
  readonly rows = new Rows();
  readonly unique = crypto.randomUUID().slice(0, 8);
  readonly ids: Record<string, string> = {};
  /** A name for each id, so that the rows of two worlds can be compared. */
  readonly names = new Map<string, string>();
  /** Further texts that requests contain, by the names with which actions refer to them. */
  readonly texts: Record<string, string> = { unique: this.unique };
  /** The access tokens and API keys of those who send requests. */
  readonly tokens: Record<string, string> = {};
  readonly customer = `cus_${this.unique}`;

  name(text: string, id: string): string {
    this.names.set(id, text);
    this.ids[text] = id;
    return id;
  }

  put(text: string, table: Parameters<Rows["put"]>[0], row: Row): string {
    return this.name(text, this.rows.put(table, row));
  }

  /** Adds an organization, by default one that the platform has created. */
  organization(text: string, plan: string | null, more: Row = {}): string {
    const slug = `${text.replaceAll(" ", "-")}-${this.unique}`;
    const origin = { founded_by_id: null, created_at: new Date() };
    const id = this.put(text, "organizations", { name: text, slug, ...origin, ...more });
    const customer_id = text === "org" ? this.customer : null;
    if (plan !== null)
      this.put(`plan of ${text}`, "organization_subscriptions", {
        ...{ organization_id: id, plan_override: plan, customer_id },
      });
    return id;
  }

  unit(text: string, parent: string | null): string {
    return this.put(text, "units", { organization_id: this.ids.org, name: text, parent_id: parent });
  }

  role(text: string): string {
    const role = { name: text, description: "", permissions: ["Units.Read"] };
    return this.put(text, "roles", { organization_id: this.ids.org, ...role });
  }

  /** Adds an account with the common password. */
  person(who: string, more: Row = {}): Account {
    const email = `${who.toLowerCase()}-${this.unique}@example.com`;
    const account = { email, last_name: who, password_hash: PASSWORD_HASH };
    const state = { is_platform_admin: false, two_factor_enabled_at: null };
    this.texts[`${who}.email`] = email;
    return { id: this.put(who, "users", { ...account, ...state, ...more }), email };
  }

  /** Makes a person a member of an organization with a role, for all of it or in a unit. */
  join(who: string, place: string, role: string, unit: string | null = null, joinedAt = "2026-01-01"): void {
    const [userId, at] = [this.ids[who], { organization_id: this.ids[place] }];
    const membership = this.put(`${who} in ${place}`, "memberships", {
      ...{ ...at, user_id: userId, joined_at: joinedAt },
    });
    const of = { ...at, membership_id: membership };
    const granted = { role_id: roleOf(role), unit_id: unit };
    this.put(`${who}'s role in ${place}`, "membership_assignments", { ...of, ...granted });
    if (unit !== null)
      this.put(`${who}'s unit`, "membership_units", { ...of, user_id: userId, unit_id: unit });
  }

  /** Adds a service account with a role in the whole organization. Returns a function that adds a key of it. */
  machine(text: string, role: string, more: Row = {}): (name: string, tokenHash: string) => string {
    const at = { organization_id: this.ids.org };
    const of = {
      ...at,
      service_account_id: this.put(text, "service_accounts", { ...at, ...more, name: text }),
    };
    const granted = { role_id: roleOf(role), unit_id: null };
    this.put(`${text}'s role`, "service_account_assignments", { ...of, ...granted });
    return (name, tokenHash) => this.put(name, "api_keys", { ...of, ...more, token_hash: tokenHash });
  }
}
