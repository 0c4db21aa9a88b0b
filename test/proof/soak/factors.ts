import { codeOfStep, currentStep, fromBase32 } from "../../support/two-factor.ts";
import type { Client } from "./client.ts";
import { browserOf, PASSWORD, type Person } from "./people.ts";

const OK = [200];

/** People with an authenticator app, whose secret the service keeps encrypted. */
export async function enableFactors(client: Client, people: Person[]): Promise<Map<Person, string>> {
  const secrets = new Map<Person, string>();
  for (const person of people) {
    const ask = (path: string, body: unknown) =>
      client.send(person, 0, { method: "POST", path: `/api/profile/2fa/${path}`, body }, OK);
    const secret = String((await ask("setup", { password: PASSWORD })).body.secret);
    await ask("enable", { code: codeOf(secret) });
    secrets.set(person, secret);
  }
  return secrets;
}

/** They sign in with a code, one on each instance; answers that they do not expect are kept by the client. */
export async function signInWithFactors(client: Client, secrets: Map<Person, string>): Promise<void> {
  for (const [instance, [person, secret]] of [...secrets].entries()) {
    const browser = { ...browserOf(person), token: "" };
    const ask = (path: string, body: unknown) =>
      client.send(browser, instance, { method: "POST", path: `/api/auth/${path}`, body }, OK);
    const { challengeToken } = (await ask("login", { email: person.email, password: PASSWORD })).body;
    await ask("2fa/verify", { challengeToken, code: codeOf(secret) });
  }
}

const codeOf = (secret: string) => codeOfStep(fromBase32(secret), currentStep());
