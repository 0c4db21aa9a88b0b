import {
  authorize,
  authorizePlatformAdmin,
  forbidden,
  type OrganizationCall,
  organizationIsSuspended,
  type SignedInCall,
  type Tx,
} from "#kit";
import { lockPlatform, type RouteDefinition } from "#kit/inside";
import type { Owner } from "./read.ts";

/** Reads and writes of an organization. */
export const READ = {
  access: { permission: "Organization.Read", organizationWide: true },
  apps: false,
} as const;
export const WRITE = {
  access: { permission: "Organization.Update" },
  apiKeys: false,
  reauthentication: { classes: ["authority"] },
} as const;

/** How the routes of an organization's clients differ from those of the operator's. */
export type Kind = {
  path: `/api/${string}`;
  /** The record in the ids of the operations. */
  record: string;
  owner: string;
  register: { summary: string; most: string };
  read: Pick<RouteDefinition, "access" | "apps">;
  write: Pick<RouteDefinition, "access" | "reauthentication">;
  /** The errors of a write, and of one that also works in a suspended organization. */
  refused: { write: RouteDefinition["errors"] & object; takesAway: RouteDefinition["errors"] & object };
  ownerOf: (call: OrganizationCall) => Owner;
  /** Authorizes a write, and takes its lock. `takesAway` also works in a suspended organization. */
  begin: (tx: Tx<OrganizationCall & SignedInCall>, write: { takesAway: boolean }) => Promise<Owner>;
};

export const ORGANIZATION: Kind = {
  path: "/api/organization/oauth-clients",
  record: "OAuthClient",
  owner: "the organization",
  register: {
    summary: "Register an app of the organization",
    most: "An organization registers at most 50 apps.",
  },
  read: READ,
  write: WRITE,
  refused: { write: [organizationIsSuspended], takesAway: [] },
  ownerOf: ({ organizationId }) => ({ organizationId }),
  async begin(tx, { takesAway }) {
    await authorize(tx, "Organization.Update", takesAway ? { worksInSuspended: true } : {});
    return { organizationId: tx.organizationId };
  },
};

export const OPERATOR: Kind = {
  path: "/api/oauth-clients",
  record: "PlatformOAuthClient",
  owner: "the operator",
  register: {
    summary: "Register an app for every organization",
    most: "The operator registers at most 200 apps.",
  },
  read: { access: "platform-admin" },
  write: { access: "platform-admin", reauthentication: { classes: ["platform"] } },
  refused: { write: [forbidden], takesAway: [forbidden] },
  // The operator's clients belong to no organization.
  ownerOf: () => ({ organizationId: null }),
  async begin(tx) {
    await lockPlatform(tx);
    await authorizePlatformAdmin(tx);
    return { organizationId: null };
  },
};
