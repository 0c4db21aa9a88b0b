import { expect, test } from "bun:test";
import { createOrganization } from "../../support/organizations.ts";
import { race } from "../../support/race.ts";
import { expectStatus, startService, uniqueEmail } from "../../support/service.ts";

const t = await startService();

const FORM = /^[a-z0-9]+(-[a-z0-9]+)*$/;
/** Creates an organization; returns the slug generated from its name. */
async function slugOf(name: string): Promise<string> {
  const founder = await t.person();
  return expectStatus(await founder.post("/api/auth/organizations", { name }), 201).body.slug;
}

test("a slug is derived from the name: lower case, without accents, Greek transliterated, other characters as hyphens", async () => {
  const slugs = {
    "Plain Name": "plain-name",
    "  --Dashes__and   spaces!? ": "dashes-and-spaces",
    "Crème Brûlée": "creme-brulee",
    "De\u0301compose\u0301": "decompose",
    "Ελληνική Εταιρεία": "elliniki-etaireia",
    ΑΘΗΝΑ: "athina",
    Καφές: "kafes",
    "Καλημε\u0301ρα": "kalimera",
    "Ñandú 24": "nandu-24",
  };
  const made = [];
  for (const name of Object.keys(slugs)) made.push([name, await slugOf(name)]);
  expect(Object.fromEntries(made)).toEqual(slugs);
});

test("polytonic Greek is transliterated in slugs", async () => {
  expect(await slugOf("Ἀθῆναι")).toBe("athinai");
  expect(await slugOf("Ὕδρα καὶ Ῥόδος")).toBe("ydra-kai-rodos");
});

test("a generated slug that is taken gets the suffix -2, -3 and so on, skipping suffixed slugs that other names already use", async () => {
  expect(await slugOf("Twin")).toBe("twin");
  expect(await slugOf("Twin 3")).toBe("twin-3");
  expect(await slugOf("TWIN")).toBe("twin-2");
  expect(await slugOf("twín")).toBe("twin-4");
  expect(await slugOf("Twin 3")).toBe("twin-3-2");
});

test("sent slugs that end in -1 or -01 do not affect the numbers of generated slugs", async () => {
  const admin = await t.platformAdmin();
  const choose = async (slug: string) =>
    expectStatus(
      await admin.post("/api/organizations", { name: "Chosen", slug, ownerEmail: uniqueEmail() }),
      201,
    );
  await choose("lonely-1");
  await choose("lonely-01");
  expect(await slugOf("Lonely")).toBe("lonely");
  expect(await slugOf("Lonely")).toBe("lonely-2");
  await choose("lonely-4");
  expect(await slugOf("Lonely")).toBe("lonely-3");
  expect(await slugOf("Lonely")).toBe("lonely-5");
});

test("a name without enough convertible characters gets the slug `organization` with a number", async () => {
  const slugs = [];
  for (const name of ["東京", "!!!", "X", "-", "…"]) slugs.push(await slugOf(name));
  for (const slug of slugs) expect(slug).toMatch(/^organization-[1-9]\d*$/);
  expect(new Set(slugs).size).toBe(5);
});

test("a slug is 2 to 63 characters long, including a suffix", async () => {
  const names = ["a".repeat(100), "ab ".repeat(33), "ψ".repeat(100), "🦆".repeat(100), "ß".repeat(100)];
  for (const name of names) {
    const slugs = [await slugOf(name), await slugOf(name)];
    for (const slug of slugs) {
      expect(slug).toMatch(FORM);
      expect(slug.length).toBeWithin(2, 64);
    }
    expect(slugs[0]).not.toBe(slugs[1]);
  }
});

const BAD = [
  "a",
  "",
  "-ab",
  "ab-",
  "a--b",
  "Ab",
  "a b",
  "a_b",
  "é1",
  "a.b",
  " ab",
  "ab\n",
  "a".repeat(64),
  7,
  null,
];
const GOOD = ["ab", "12", "a-b-c", "0a", "a".repeat(63)];

test("a sent slug is validated", async () => {
  const { admin, id } = await createOrganization(t);
  const platform = await t.platformAdmin();
  for (const slug of BAD) {
    for (const response of [
      await admin.patch("/api/organization", { slug }),
      await platform.patch(`/api/organizations/${id}`, { slug }),
    ]) {
      const { code, errors } = expectStatus(response, 400).body;
      expect([slug, code, errors[0].path]).toEqual([slug, "VALIDATION_FAILED", "slug"]);
    }
  }
  for (const slug of GOOD)
    expect(expectStatus(await admin.patch("/api/organization", { slug }), 200).body.slug).toBe(slug);
});

test("a sent slug that is taken is SLUG_TAKEN, and nothing is changed", async () => {
  const taken = (await createOrganization(t, "Taken")).admin;
  const { slug } = (await taken.get("/api/organization")).body;
  const { admin, id } = await createOrganization(t, "Wants it");
  const platform = await t.platformAdmin();
  for (const response of [
    await admin.patch("/api/organization", { slug, name: "Changed" }),
    await platform.patch(`/api/organizations/${id}`, { slug, name: "Changed" }),
  ])
    expect(expectStatus(response, 409).body.code).toBe("SLUG_TAKEN");
  expect((await admin.get("/api/organization")).body).toMatchObject({ name: "Wants it", slug: "wants-it" });
});

test("the slug of a deleted organization stays taken, both for sent and generated slugs", async () => {
  const { id, admin } = await createOrganization(t, "Gone");
  const platform = await t.platformAdmin();
  expectStatus(await platform.delete(`/api/organizations/${id}`), 204);
  expect(await slugOf("Gone")).toBe("gone-2");
  const other = await createOrganization(t);
  const response = await other.admin.patch("/api/organization", { slug: "gone" });
  expect(expectStatus(response, 409).body.code).toBe("SLUG_TAKEN");
  expect((await admin.get("/api/auth/organizations")).body).toEqual([]);
});

test("of two concurrent requests for one slug one gets it", async () => {
  const [one, other] = [await createOrganization(t), await createOrganization(t)];
  const slug = `wanted-${crypto.randomUUID().slice(0, 8)}`;
  const responses = await race(2, (index) =>
    (index === 0 ? one : other).admin.patch("/api/organization", { slug }),
  );
  expect(responses.map(({ status }) => status).sort()).toEqual([200, 409]);
});

test("changing the name keeps the slug, and a replaced slug is free again", async () => {
  const { admin } = await createOrganization(t, "Old name");
  expect((await admin.patch("/api/organization", { name: "New name" })).body.slug).toBe("old-name");
  expectStatus(await admin.patch("/api/organization", { slug: "new-name" }), 200);
  expect(await slugOf("Old name")).toBe("old-name");
});
