import type { z } from "zod";
import {
  audit,
  authorize,
  authorizeIn,
  exactlyOne,
  list,
  mail,
  newToken,
  notFound,
  type OrganizationCall,
  type SignedInCall,
  sizeLimitReached,
  type Tx,
  tokenHash,
  tooManyRequests,
  transaction,
} from "#kit";
import { fromStored } from "#kit/inside";
import * as queries from "#sql/sign-on-setup";
import { SETUP_PREFIX, type SetupActor } from "../../core/access/access.ts";
import { tellHolders } from "../notifications/tell-holders.ts";
import { redirectUriOf } from "./provider.ts";
import type { CreateSetupLinkBody, SetupLink, SetupLinkQuery, SignOnSetup } from "./setup-schemas.ts";

const MAX_OPEN = 5;
const MAX_A_DAY = 10;

type Row = Awaited<ReturnType<typeof queries.findSetupLinkOf.run>>[number];
type Shown = z.output<typeof SetupLink>;

const present = (row: Row): Shown => ({
  id: row.id,
  email: row.email,
  what: row.what as Shown["what"],
  status: row.status as Shown["status"],
  createdBy: row.createdByEmail === null ? null : { id: row.createdById, email: row.createdByEmail },
  createdAt: row.createdAt.toISOString(),
  expiresAt: row.expiresAt.toISOString(),
  finishedAt: row.finishedAt?.toISOString() ?? null,
});

/** Returns a page of the organization's setup links. */
export const listSetupLinks = (call: OrganizationCall, query: z.output<typeof SetupLinkQuery>) =>
  list(queries.setupLinks, call, { ...query, organizationId: call.organizationId }, present);

/**
 * Creates a setup link and mails it to its address alone: no response shows its token.
 * @throws sizeLimitReached, tooManyRequests
 */
export async function createSetupLink(
  tx: Tx<OrganizationCall & SignedInCall>,
  { email, what, language }: z.output<typeof CreateSetupLinkBody>,
) {
  const { organizationId, actor } = tx;
  const { organization } = await authorizeIn(tx, "SingleSignOn.Update");
  const { open, recent, seconds } = exactlyOne(
    await queries.countRecentSetupLinks.run({ organizationId }, tx.db),
  );
  if (recent >= MAX_A_DAY) throw tooManyRequests(seconds);
  if (open >= MAX_OPEN) throw sizeLimitReached("An organization has at most 5 open setup links", MAX_OPEN);
  const token = SETUP_PREFIX + newToken();
  const { id, createdByLanguage } = exactlyOne(
    await queries.insertSetupLink.run(
      {
        organizationId,
        email,
        what,
        tokenHash: tokenHash(token.slice(SETUP_PREFIX.length)),
        createdById: actor.userId,
      },
      tx.db,
    ),
  );
  await mail(tx, {
    kind: "signOnSetup",
    to: email,
    language: language ?? fromStored(createdByLanguage),
    data: { token, organizationName: organization?.name ?? "" },
  });
  await audit(tx, "SETUP_LINK_CREATED", {
    organizationId,
    target: { type: "setup_link", id },
    metadata: { email, what },
  });
  return present(exactlyOne(await queries.findSetupLinkOf.run({ id, organizationId }, tx.db)));
}

/** Revokes a setup link; one that has ended stays as it is. @throws notFound */
export async function revokeSetupLink(call: OrganizationCall, id: string): Promise<void> {
  await transaction(call, async (tx) => {
    const { organizationId } = tx;
    await authorize(tx, "SingleSignOn.Update", { worksInSuspended: true });
    const [link] = await queries.findSetupLinkOf.run({ id, organizationId }, tx.db);
    if (link === undefined) throw notFound();
    const [revoked] = await queries.revokeSetupLink.run({ id, organizationId }, tx.db);
    if (revoked === undefined) return;
    await audit(tx, "SETUP_LINK_REVOKED", {
      organizationId,
      target: { type: "setup_link", id },
      metadata: { email: revoked.email },
    });
  });
}

/** Revokes the links of deleted organizations, or those that a member created whose memberships have ended. */
export async function revokeSetupLinksOf(
  tx: Tx,
  { organizationIds, userId = null }: { organizationIds: string[]; userId?: string | null },
): Promise<void> {
  await queries.revokeSetupLinksOf.run({ organizationIds, createdById: userId }, tx.db);
}

/** Returns the setup link of the caller. A route for setup links has no other caller. */
function linkOf({ actor }: Pick<OrganizationCall, "actor">): SetupActor {
  if (actor.type !== "setup_link") throw new Error("Not a setup link");
  return actor;
}

/** Returns what the bearer of a setup link is to set up. */
export async function showSetup(call: OrganizationCall): Promise<z.output<typeof SignOnSetup>> {
  const { app, db } = call;
  const { id, email, what, claims } = linkOf(call);
  const { expiresAt, connectionId } = exactlyOne(await queries.findSetup.run({ id }, db));
  const isAboutConnection = what.includes("connection") && connectionId !== null;
  return {
    organization: { name: claims.organization.name },
    email,
    what,
    expiresAt: expiresAt.toISOString(),
    domainLabel: app.config.domainDnsLabel,
    redirectUri: isAboutConnection ? redirectUriOf(app.config, connectionId) : null,
  };
}

/** Ends a setup link whose bearer has finished, and tells the members who may change the rest. @throws unauthenticated */
export async function finishSetup(call: OrganizationCall): Promise<void> {
  await transaction(call, async (tx) => {
    const { organizationId } = tx;
    const { id, email } = linkOf(tx);
    await authorize(tx, "SingleSignOn.Update");
    await queries.finishSetupLink.run({ id }, tx.db);
    await audit(tx, "SETUP_LINK_FINISHED", {
      organizationId,
      target: { type: "setup_link", id },
      metadata: { email },
    });
    await tellHolders(
      tx,
      { organizationId, permission: "SingleSignOn.Update" },
      ["SIGN_ON_SETUP_FINISHED", { organizationId, email }],
      (to, organizationName) =>
        mail(tx, { kind: "signOnSetupFinished", ...to, data: { email, organizationName } }),
    );
  });
}
