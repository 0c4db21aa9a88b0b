import {
  type App,
  audit,
  type Call,
  mail,
  notFound,
  notify,
  type SignedInCall,
  type Tx,
  transaction,
} from "#kit";
import { toAccount } from "#kit/inside";
import * as queries from "#sql/identities";
import { lockAccount } from "../../core/accounts/reauthenticate.ts";
import { findOwnAccount } from "../../core/accounts/user.ts";
import { assertWayInLeft } from "../../core/accounts/ways-in.ts";
import { lockSessionOf } from "../sessions/refresh.ts";
import type { OidcProfile } from "./profile.ts";
import { findHolder } from "./sign-in.ts";

/** The reason why an identity was not linked. */
export type LinkRefusal = "INVALID_STATE" | "IDENTITY_IN_USE";

/**
 * Returns the identities of the caller: at providers of the service, and at connections of organizations, which the organization
 * alone removes. A confined session sees only those of the organizations that it was proven for. @throws unauthenticated
 */
export async function listIdentities(call: SignedInCall) {
  const { id: userId } = await findOwnAccount(call);
  const { claims, sessionId } = call.actor;
  const own = claims.confined ? [] : await queries.listIdentities.run({ userId }, call.db);
  const confined = { userId, sessionId: claims.confined ? sessionId : null };
  const ofConnections = await queries.listIdentitiesOfConnections.run(confined, call.db);
  return [
    ...own.map(({ provider, email, createdAt }) => ({
      provider,
      name: nameOf(call.app, provider),
      email,
      linkedAt: createdAt.toISOString(),
      organization: null,
      connectionId: null,
    })),
    ...ofConnections.map(({ connectionId, name, email, linkedAt, organizationId, organizationName }) => ({
      ...{ provider: "sso", name, email, connectionId },
      linkedAt: linkedAt.toISOString(),
      organization: { id: organizationId, name: organizationName },
    })),
  ];
}

/**
 * Links an identity to the account that started the linking. Accepts only a browser in which that account is signed
 * in. This prevents account-linking CSRF: otherwise an attacker could make a victim finish what the attacker
 * started, so that the victim's identity is linked to the attacker's account.
 */
export async function linkIdentity(
  call: Call,
  link: { provider: string; profile: OidcProfile; userId: string; cookie: string | null },
): Promise<LinkRefusal | null> {
  const { provider, profile, userId, cookie } = link;
  return transaction(call, async (tx) => {
    const session = await lockSessionOf(tx, cookie, userId);
    if (session === null) return "INVALID_STATE";

    const { issuer, subject, email } = profile;
    const [linked] = await queries.insertIdentity.run({ userId, provider, issuer, subject, email }, tx.db);
    if (linked !== undefined) await tellOfProvider(tx, "ADDED", provider, { ...session, id: userId });
    // Linking the same identity again changes nothing. Any other holder means that the identity belongs to another
    // account, or that the account has another identity of this provider.
    else if ((await findHolder(tx, profile)) !== userId) return "IDENTITY_IN_USE";
    return null;
  });
}

/**
 * Unlinks the caller's identity at a provider, even if that provider is no longer configured.
 * @throws unauthenticated, also if the session has ended; notFound; conflict for the last way to sign in
 */
export async function unlinkIdentity(call: SignedInCall, provider: string): Promise<void> {
  const { userId } = call.actor;
  await transaction(call, async (tx) => {
    const user = await lockAccount(tx);
    const [deleted] = await queries.deleteIdentity.run({ userId, provider }, tx.db);
    if (deleted === undefined) throw notFound();
    await assertWayInLeft(tx, userId);
    await tellOfProvider(tx, "REMOVED", provider, { ...user, id: userId });
  });
}

/** Unlinks the identities that were linked after a time, and tells their owner. Call under the user's lock. */
export async function unlinkIdentitiesSince(tx: Tx, owner: Owner, since: string): Promise<void> {
  for (const { provider } of await queries.deleteIdentitiesSince.run({ userId: owner.id, since }, tx.db))
    await tellOfProvider(tx, "REMOVED", provider, owner);
}

type Owner = { id: string; email: string; language: "EL" | "EN" };
type Happened = "ADDED" | "REMOVED";

const tellOfProvider = (tx: Tx, what: Happened, provider: string, owner: Owner): Promise<void> =>
  tellOfMethod(tx, what, owner, { actorId: owner.id, provider, providerName: nameOf(tx.app, provider) });

/**
 * Audits that a way to sign in was added or removed, and tells the owner of the account. Without `actorId` the actor is the caller.
 */
export async function tellOfMethod(
  tx: Tx,
  what: Happened,
  { id, email, language }: Owner,
  method: { actorId?: string; provider: string; connectionId?: string; providerName: string },
): Promise<void> {
  const { actorId, providerName, ...metadata } = method;
  const target = { type: "user", id } as const;
  await audit(tx, `SIGN_IN_METHOD_${what}`, { ...(actorId && { actorId }), target, metadata });
  await notify(tx, id, `SIGN_IN_METHOD_${what}`, { provider: metadata.provider });
  await mail(tx, {
    kind: what === "ADDED" ? "signInMethodAdded" : "signInMethodRemoved",
    ...toAccount({ email, language }),
    data: { providerName },
  });
}

/** Returns the display name of a provider, or its key if the provider is no longer configured. */
const nameOf = (app: App, provider: string): string => app.identityProviders.get(provider)?.name ?? provider;
