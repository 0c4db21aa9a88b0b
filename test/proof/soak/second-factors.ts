import { codeOfStep, currentStep, fromBase32 } from "../../support/two-factor.ts";
import type { Client } from "./client.ts";
import { newBrowser, PASSWORD, type Person } from "./people.ts";

const OK = [200];

/** Enables the second factor of people. Returns their secrets, which the service stores encrypted. */
export async function enableFactors(client: Client, people: Person[]): Promise<Map<Person, string>> {
  const secrets = new Map<Person, string>();
  for (const person of people) {
    const post = (path: string, body: unknown) =>
      client.send(person, 0, { method: "POST", path: `/api/profile/2fa/${path}`, body }, OK);
    const secret = String((await post("setup", { password: PASSWORD })).body.secret);
    await post("enable", { code: codeOf(secret) });
    secrets.set(person, secret);
  }
  return secrets;
}

/** Signs in people with a code, each on another instance. The client reports unexpected responses. */
export async function signInWithFactors(client: Client, secrets: Map<Person, string>): Promise<void> {
  for (const [instance, [person, secret]] of [...secrets].entries()) {
    const browser = { ...newBrowser(person), token: "" };
    const post = (path: string, body: unknown) =>
      client.send(browser, instance, { method: "POST", path: `/api/auth/${path}`, body }, OK);
    const { challengeToken } = (await post("login", { email: person.email, password: PASSWORD })).body;
    // The client reports a failed sign-in unless a fault excuses it.
    if (challengeToken === undefined) continue;
    await post("2fa/verify", { challengeToken, code: codeOf(secret) });
  }
}

const codeOf = (secret: string) => codeOfStep(fromBase32(secret), currentStep());
