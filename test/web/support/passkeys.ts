import type { Page } from "playwright-core";
import type { Caller } from "../../support/caller.ts";
import type { Service } from "../../support/service.ts";
import { addAuthenticator, type VirtualAuthenticator } from "./authenticators.ts";
import { open } from "./browser.ts";
import { fill, press } from "./steps.ts";

/* Steps of a user who signs in, adds a passkey, or lets a proof of identity age. */

/**
 * Makes the proofs of a user too old. The page, on which passkeys are added, gets a token that says so. The tokens are
 * locked before the proofs, as in the service: a refresh of the page may be running.
 */
export async function makeStale(t: Service, page: Page, userId: string) {
  const older = `
    WITH locked AS (SELECT id FROM refresh_tokens WHERE user_id = $1 ORDER BY id FOR NO KEY UPDATE)
    UPDATE session_proofs SET proved_at = now() - interval '11 minutes'
    WHERE user_id = $1 AND (SELECT count(*) FROM locked) > 0`;
  await t.sql(older, [userId]);
  await page.reload();
  await page.getByRole("button", { name: "Add a passkey" }).waitFor();
}

export async function signInByPassword(page: Page, { email, account }: Caller) {
  await page.goto(new URL("/sign-in", page.url()).href);
  await fill(page, "Email address", email);
  await fill(page, "Password", account.password);
  await press(page, "Sign in");
}

/** Opens the security page of a user in a browser with an authenticator, and adds a passkey. */
export async function withPasskey(
  t: Service,
  origin: string,
  person: Caller,
  options?: VirtualAuthenticator,
) {
  const page = await open(t, `${origin}/profile/security`, { as: person });
  const authenticator = await addAuthenticator(page, options);
  await press(page, "Add a passkey");
  await page.getByRole("button", { name: /^Remove: / }).waitFor();
  return { page, authenticator };
}
