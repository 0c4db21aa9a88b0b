import { accessTokens } from "../../../src/core/access/access-token.ts";
import { builtInRoles, permissionNames } from "../../../src/core/access/catalog.ts";
import { openSigningKeys } from "../../../src/core/access/signing-keys.ts";
import { newApiKey } from "../../../src/core/access/token-forms.ts";
import { tokenHash } from "../../../src/platform/crypto.ts";
import { environmentFor } from "../../support/environment.ts";
import { codeOfStep, currentStep, fromBase32 } from "../../support/two-factor.ts";
import { World } from "../world/world.ts";
import { addApps } from "./apps.ts";
import { type Assertions, addEmailChanges, addPasskey } from "./identities.ts";
import { addIdentity, addOldSessions, addResources, SECRET } from "./resources.ts";

const settings = environmentFor("", 0);
const tokens = await accessTokens({
  secret: settings.JWT_SECRET ?? "",
  previousSecret: null,
  acceptHs256: true,
  signingKeys: await openSigningKeys({ current: null, next: null, previous: null }),
  issuer: settings.APP_URL ?? "",
  lifetimeSeconds: 900,
});
const permissionsOf = (name: string) =>
  name === "ORG_ADMIN"
    ? permissionNames()
    : (builtInRoles.find((role) => role.name === name)?.permissions ?? []);

/** The world of a round, with two responses of the member's passkey: one signs in, the other proves the identity. */
export class RaceWorld extends World {
  assertions = {} as Assertions;

  /** Adds an account with two sessions and an access token, by default without an organization. */
  async signedIn(who: string, role: string | null, more: Record<string, unknown> = {}): Promise<void> {
    const { id } = this.person(who, more);
    const permissions = role === null ? null : permissionsOf(role);
    const session = (name: string, cookieName: string) => {
      const sid = this.name(name, crypto.randomUUID());
      const cookie = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
      this.texts[`${who}.${cookieName}`] = cookie;
      this.put(`${who}'s token of ${name}`, "refresh_tokens", {
        ...{ user_id: id, session_id: sid, token_hash: tokenHash(cookie) },
        organization_id: permissions === null ? null : this.ids.org,
      });
      return sid;
    };
    const sid = session(`${who}'s session`, "cookie");
    session(`${who}'s other`, "otherCookie");
    for (const [name, place] of [
      [who, "org"],
      [`${who} elsewhere`, "other organization"],
    ] as const) {
      const organization = { id: this.ids[place] ?? "", name: "Acme", slug: `acme-${this.unique}` };
      this.tokens[name] = await tokens.sign({
        ...{ sub: id, sid, isPlatformAdmin: more.is_platform_admin === true, mustEnableTwoFactor: undefined },
        auth_time: Math.floor(Date.now() / 1000),
        organization: permissions === null ? null : organization,
        ...{ roles: role === null ? [] : [role], permissions: [...(permissions ?? [])], unitGrants: [] },
      });
    }
  }
}

/** Creates the rows of one organization with every kind of record, and of another one to switch to. */
export async function createWorld(issuer: string): Promise<RaceWorld> {
  const world = new RaceWorld();
  // The plan allows nine seats, nine units and nine todos. One of each is still free.
  world.organization("org", "pro");
  world.organization("other organization", "pro");
  const root = world.unit("root", null);
  const child = world.unit("child", root);
  world.unit("other", root);
  for (const name of ["empty", "unit1", "unit2", "unit3", "unit4"]) world.unit(name, null);
  world.role("custom");
  world.role("unused");

  const operator = { is_platform_admin: true };
  await world.signedIn("founder", "ORG_ADMIN");
  await world.signedIn("second", "ORG_ADMIN");
  await world.signedIn("member", "MEMBER");
  await world.signedIn("invited", null);
  await world.signedIn("operator", null, operator);
  await world.signedIn("operator2", null, operator);
  await world.signedIn("factor", "MEMBER", { two_factor_enabled_at: "2026-01-01T00:00:00Z" });
  await world.signedIn("unverified", null, { email_verified_at: null });
  world.join("founder", "org", "ORG_ADMIN");
  world.join("second", "org", "ORG_ADMIN");
  world.join("member", "org", "MEMBER", child);
  world.join("factor", "org", "MEMBER");
  world.join("member", "other organization", "MEMBER", null, "2026-01-02");
  world.join("founder", "other organization", "ORG_ADMIN", null, "2026-01-02");

  // All users have the same authenticator app.
  world.texts.code = codeOfStep(fromBase32(SECRET), currentStep());
  const key = newApiKey("mosk");
  Object.assign(world.texts, { "clear key": key });
  world.tokens.key = key;
  addIdentity(world, issuer);
  addOldSessions(world);
  addResources(world, key);
  addEmailChanges(world);
  await addApps(world);
  world.assertions = await addPasskey(world);
  return world;
}
