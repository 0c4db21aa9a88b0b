import type { AccessTokenClaims } from "../../../../src/core/access/claims.ts";
import { Caller, claimsOf as claimsOfToken } from "../../../support/caller.ts";
import { credentialOf } from "./access.ts";

type Claims = typeof AccessTokenClaims._output;
type OwnAccount = Pick<Claims, "permissions" | "unitGrants"> & {
  serviceAccount?: { id: string };
  user?: { id: string };
  organization: NonNullable<Claims["organization"]>;
};

const claimsOfKeys = new Map<string, Claims>();

/**
 * Returns the claims of an access token; for an API key or the token of an app, the permissions that its service account or its person had
 * when they were last read.
 */
export const claimsOf = (token: string): Claims =>
  credentialOf(token) === "session"
    ? claimsOfToken(token)
    : (claimsOfKeys.get(token) ?? (NO_CLAIMS as unknown as Claims));

const NO_CLAIMS = {
  sub: "00000000-0000-0000-0000-000000000000",
  sid: "",
  isPlatformAdmin: false,
  organization: null,
  permissions: [],
  unitGrants: [],
};

/**
 * Reads the present permissions of the service account of an API key, or of an app. A key or token that is no longer accepted has none.
 */
export async function readClaimsOfKey(url: string, key: string): Promise<void> {
  const caller = new Caller(url);
  caller.accessToken = key;
  const { status, body } = await caller.get(
    credentialOf(key) === "app" ? "/api/oauth/self" : "/api/service-accounts/self",
  );
  if (status !== 200) {
    claimsOfKeys.delete(key);
    return;
  }
  const { serviceAccount, user, organization, permissions, unitGrants } = body as OwnAccount;
  claimsOfKeys.set(key, {
    ...(NO_CLAIMS as unknown as Claims),
    sub: (serviceAccount ?? user)?.id,
    organization,
    permissions,
    unitGrants,
  } as Claims);
}
