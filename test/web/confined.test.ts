import { afterEach, describe, expect, test } from "bun:test";
import { createOrganization } from "../support/organizations.ts";
import { idOf } from "../support/outcomes.ts";
import { expectStatus } from "../support/service.ts";
import { confine, insertConnection, SIGN_ON, setPolicy } from "../support/sign-on.ts";
import { axe } from "./support/axe.ts";
import { expectQuiet, open, startConsole, withoutBrowser } from "./support/browser.ts";
import { fill, press, says } from "./support/steps.ts";

/* Sessions that only a connection of an organization proved, and those that it would have to prove. */

const t = await startConsole(SIGN_ON);
afterEach(expectQuiet);

async function confinedPerson() {
  const [acme, other] = [await createOrganization(t, "Acme"), await createOrganization(t, "Globex")];
  const person = await acme.member();
  await other.add(person, { role: "MEMBER" });
  await confine(t, person, await insertConnection(t, acme));
  expectStatus(await person.refresh(), 200);
  return person;
}

describe.skipIf(withoutBrowser)("sessions and the sign-in of an organization", () => {
  test("a confined session is asked for no proof by itself; after one it is complete, and the line is gone", async () => {
    const person = await confinedPerson();
    const page = await open(t, "/profile/security", { as: person });
    await says(page, /^Signed in through Acme\./);
    await says(page, "Shown once you have confirmed that it is you.");
    await axe(page);
    await page.goto(`${new URL(page.url()).origin}/profile`);
    await says(page, "Shown once you have confirmed that it is you.");
    expect(await page.getByRole("dialog").count()).toBe(0);

    // Only what somebody does is refused, and goes on after the proof.
    await page.evaluate("globalThis.isSame = true");
    await page.getByLabel("First name").fill("Grace");
    await press(page, "Save");
    await fill(page, "Password", person.account.password);
    await press(page, "Confirm");
    await says(page, "Saved.");
    await says(page, person.email);
    await page.getByText(/^Signed in through Acme\./).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Organization: Acme" }).click();
    await page.getByRole("option", { name: /^Globex/ }).waitFor();
    expect(await page.evaluate("globalThis.isSame")).toBe(true);
  });

  test("a confined session may change its language", async () => {
    const page = await open(t, "/profile", { as: await confinedPerson() });
    await page.getByRole("radio", { name: "Ελληνικά" }).check();
    await press(page, "Save");
    await says(page, "Αποθηκεύτηκε.");
    await press(page, "Αποθήκευση");
    await says(page, "Αποθηκεύτηκε.");
    expect(await page.getByRole("dialog").count()).toBe(0);
  });

  test("whoever is bound to the sign-in of an organization, and signed in otherwise, is led to it", async () => {
    const acme = await createOrganization(t, "Acme");
    const person = await acme.member();
    const connectionId = await insertConnection(t, acme);
    await t.sql(
      "INSERT INTO sso_identities (connection_id, user_id, subject, email) VALUES ($1, $2, 'a', $3)",
      [...[connectionId, idOf(person), person.email]],
    );
    await setPolicy(t, acme, { scope: "everyone" });
    expectStatus(await person.refresh(), 200);
    const page = await open(t, "/", { as: person, width: 320 });
    await says(page, "Acme asks you to sign in through it.");
    await page.getByRole("button", { name: "Sign in with Acme" }).waitFor();
    await axe(page);
  });
});
