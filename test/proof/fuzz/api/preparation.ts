import type { Oidc } from "../../../support/oidc.ts";
import type { CallerName } from "./callers.ts";
import type { Tested } from "./case.ts";
import type { Plan } from "./requests.ts";
import { passwordOf, type World } from "./world.ts";

/** A provider of identities at which everybody has an account. */
export type Provider = Pick<Oidc, "key" | "people" | "visit" | "issuer">;

type Prepare = (tested: Tested, world: World, caller: CallerName) => Promise<void>;

const subjectOf = (world: World, caller: CallerName) => world.people[caller] ?? "nobody";

/** What a person has done before, without which these operations can only refuse. */
const PREPARATIONS: Record<string, Prepare> = {
  async enableTwoFactor(_tested, { callers, secrets }, caller) {
    if (callers[caller].accessToken === null) return;
    const answer = await callers[caller].post("/api/profile/2fa/setup", { password: passwordOf(caller) });
    if (answer.status === 200) secrets.set(caller, answer.body.secret);
  },
  /** Half sign in, half link. */
  async finishProviderSignIn({ provider }, world, caller) {
    const browser = world.callers[caller];
    const isLink = browser.accessToken !== null && world.visits.size % 2 === 0;
    const answer = isLink
      ? await browser.post(`/api/profile/identities/${provider.key}`, { password: passwordOf(caller) })
      : await browser.get(`/api/auth/oidc/${provider.key}`);
    const cookie = answer.headers.getSetCookie().find((one) => one.startsWith("oidc_state="));
    const url = isLink ? answer.body.url : answer.headers.get("location");
    if (answer.status >= 400 || cookie === undefined || typeof url !== "string") return;
    const subject = subjectOf(world, caller);
    provider.people.set(subject, {
      ...{
        email: `${subject}@provider.test`,
        email_verified: true,
        given_name: "Grace",
        family_name: "Hopper",
      },
    });
    const back = new URL(await provider.visit(url, subject)).searchParams;
    world.visits.set(caller, {
      ...{ code: back.get("code") ?? "", state: back.get("state") ?? "", iss: back.get("iss") ?? "" },
      cookie: cookie.slice("oidc_state=".length, cookie.indexOf(";")),
    });
  },
  async unlinkIdentity({ t, provider }, world, caller) {
    const subject = subjectOf(world, caller);
    if (caller === "anonymous") return;
    await t.sql(
      `INSERT INTO user_identities (user_id, provider, issuer, subject) VALUES ($1, $2, $3, $4)
       ON CONFLICT DO NOTHING`,
      [world.people[caller], provider.key, provider.issuer, subject],
    );
  },
};

/** Does what a request needs beforehand. */
export async function prepare(plan: Plan, world: World, tested: Tested): Promise<void> {
  await PREPARATIONS[plan.operation]?.(tested, world, plan.caller);
}
