import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Caller } from "../support/caller.ts";
import { assignments, createOrganization, type Organization } from "../support/organizations.ts";
import { expectStatus, sharedService } from "../support/service.ts";
import { shrinkFor } from "../support/shrinking.ts";

const t = await sharedService();
const FORMS = ["NFC", "NFD", "NFKC", "NFKD"] as const;
const formsOf = (name: string) => FORMS.map((form) => name.normalize(form));

/** Letters that have several forms, from many scripts, between words that make each name unique. */
const PARTS = [
  ...[
    "김철수",
    "Андрей",
    "がくせい",
    "パーティー",
    "Παπαδόπουλος",
    "ΐ",
    "Nguyễn",
    "Å",
    "ṩ",
    "Ё",
    "ї",
    "क़लम",
    "אּ",
    "آدم",
  ],
  ...["ｆｕｌｌ", "ﬁn", "①", "½", "㎏", "ｶﾞ", "№", "…", "é\u0323", "x\u030c\u0323", "Ω", "K", "ⅷ", "ſ", "豈"],
];
const letters = fc
  .array(fc.constantFrom(...PARTS), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join(""));
/** Names are made unique when they are used, also while a failure is shrunk. */
const unique = (one: string, other: string) => `a${crypto.randomUUID().slice(0, 8)} ${one} b${other}c`;

/** What a name is given to, and the lists in which its search finds it. */
type Named = { field: string; lists: [Caller, string][]; give(name: string): Promise<unknown> };

async function everyNamed(org: Organization): Promise<Record<string, Named>> {
  const { admin } = org;
  const platform = await t.platformAdmin();
  let reporter = admin;
  const post =
    (path: string, body: (name: string) => object, status = 201) =>
    async (name: string) =>
      expectStatus(await admin.post(path, body(name)), status);
  return {
    unit: {
      field: "name",
      lists: [[admin, "/api/units"]],
      give: post("/api/units", (name) => ({ name, parentId: null })),
    },
    role: {
      field: "name",
      lists: [[admin, "/api/roles"]],
      give: post("/api/roles", (name) => ({ name, permissions: [] })),
    },
    "service account": {
      field: "name",
      lists: [[admin, "/api/service-accounts"]],
      give: post("/api/service-accounts", (name) => ({ name, ...assignments({ role: "MEMBER" }) })),
    },
    todo: {
      field: "title",
      lists: [
        [admin, "/api/todos"],
        [admin, "/api/todos/all"],
      ],
      give: post("/api/todos", (title) => ({ title })),
    },
    ticket: {
      field: "subject",
      get lists(): [Caller, string][] {
        return [
          [reporter, "/api/support/tickets"],
          [admin, "/api/organization/helpdesk/tickets"],
          [platform, "/api/helpdesk/tickets"],
        ];
      },
      async give(subject) {
        // One person may report few tickets at once.
        reporter = await org.member();
        const ticket = { subject, category: "BUG", message: "Since today." };
        expectStatus(await reporter.post("/api/support/tickets", ticket), 201);
      },
    },
    organization: {
      field: "name",
      lists: [[platform, "/api/organizations"]],
      give: async (name) => expectStatus(await admin.patch("/api/organization", { name }), 200),
    },
    person: {
      field: "lastName",
      lists: [
        [admin, "/api/members"],
        [platform, "/api/users"],
      ],
      give: async (lastName) => expectStatus(await admin.patch("/api/profile", { lastName }), 200),
    },
  };
}

test("every list finds a name in any normal form by any other, returns it as it was sent, and unique names collide in every form", async () => {
  const org = await createOrganization(t);
  const named = await everyNamed(org);
  const runs = fc.asyncProperty(
    fc.tuple(letters, letters, fc.constantFrom(...FORMS)),
    shrinkFor(60_000, async ([one, another, form]) => {
      const name = unique(one, another);
      const sent = name.normalize(form);
      for (const [what, of] of Object.entries(named)) {
        await of.give(sent);
        for (const [reader, path] of of.lists)
          for (const other of formsOf(name)) {
            const { body } = await reader.get(`${path}?search=${encodeURIComponent(other)}`);
            expect([
              what,
              path,
              other,
              body.data.map((row: Record<string, string>) => row[of.field]),
            ]).toEqual([what, path, other, [sent]]);
          }
      }
      for (const other of formsOf(name)) {
        const role = { name: other, permissions: [] };
        const account = { name: other.toUpperCase(), ...assignments({ role: "MEMBER" }) };
        expect([other, (await org.admin.post("/api/roles", role)).status]).toEqual([other, 409]);
        expect([other, (await org.admin.post("/api/service-accounts", account)).status]).toEqual([
          other,
          409,
        ]);
      }
    }),
  );
  await fc.assert(runs, { numRuns: 12 });
});

test("names of roles and service accounts that differ only in case, compatibility or invisible characters collide, and reserved ones are refused", async () => {
  const { admin } = await createOrganization(t);
  const create = (name: string) => admin.post("/api/roles", { name, permissions: [] });
  const account = (name: string) =>
    admin.post("/api/service-accounts", { name, ...assignments({ role: "MEMBER" }) });
  const variants = (name: string) => [
    name.toLowerCase(),
    `${name}\u200b`,
    `\u200e${name}`,
    `${name} \u00ad`,
    `${name.slice(0, 2)}\u00ad\u2060${name.slice(2)}`,
    `${name}\u{e0041}\u{e007f}`,
    `${name}\ufe0f`,
    `${name}\u034f`,
    `${name}\u3164\u2800`,
    [...name].map((letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0)).join(""),
  ];
  for (const reserved of ["ORG_ADMIN", "UNIT_ADMIN", "MEMBER"])
    for (const name of variants(reserved)) {
      const { status, body } = await create(name);
      expect([name, status, body.code]).toEqual([name, 409, "CONFLICT"]);
    }
  expectStatus(await create("Straße"), 201);
  const { id } = expectStatus(await create("Other"), 201).body;
  expectStatus(await account("Importer"), 201);
  for (const name of [...variants("STRASSE"), "STRA\u1e9eE"])
    expect([name, (await create(name)).body.code]).toEqual([name, "CONFLICT"]);
  expect((await admin.patch(`/api/roles/${id}`, { name: "stra\u200dße" })).body.code).toBe("CONFLICT");
  for (const name of variants("Importer"))
    expect([name, (await account(name)).body.code]).toEqual([name, "CONFLICT"]);
  const { body } = await create("O\u00adther two");
  expect(body.name).toBe("O\u00adther two");
});

test("a name, title or subject of nothing but marks, private-use, unassigned or noncharacter code points is empty", async () => {
  const { admin } = await createOrganization(t);
  const nothing = [
    "\u0301",
    "\u0301\u20dd",
    "\u093e",
    "\ue000",
    "\u{f0000}\u{10fffd}",
    "\u0378",
    "\ufdd0\u{1ffff}",
    "\ufe0f\u0308 \ue001",
  ];
  const ticket = { category: "BUG", message: "Since today." };
  for (const text of nothing)
    for (const [path, body] of [
      ["/api/units", { name: text, parentId: null }],
      ["/api/roles", { name: text, permissions: [] }],
      ["/api/service-accounts", { name: text, ...assignments({ role: "MEMBER" }) }],
      ["/api/todos", { title: text }],
      ["/api/support/tickets", { ...ticket, subject: text }],
    ] as const) {
      const response = await admin.post(path, body);
      expect([path, text, response.status, response.body.errors?.[0].message]).toEqual([
        path,
        text,
        400,
        expect.stringContaining("should not be empty"),
      ]);
    }
  for (const title of ["e\u0301", "☃", "\ue000 home", "कि"])
    expect(expectStatus(await admin.post("/api/todos", { title }), 201).body.title).toBe(title);
});

test("lists sort numbers within names by their value", async () => {
  const org = await createOrganization(t);
  const { admin } = org;
  const names = ["Item 10", "item 2", "Item 1", "ITEM 33b", "Item 3", "2 Items", "10 items"];
  const sorted = ["2 Items", "10 items", "Item 1", "item 2", "Item 3", "Item 10", "ITEM 33b"];
  for (const name of names) {
    await org.unit(name);
    expectStatus(await admin.post("/api/roles", { name, permissions: [] }), 201);
    expectStatus(
      await admin.post("/api/service-accounts", { name, ...assignments({ role: "MEMBER" }) }),
      201,
    );
    expectStatus(await admin.post("/api/todos", { title: name }), 201);
    const member = await org.member();
    expectStatus(await member.patch("/api/profile", { lastName: name }), 200);
  }
  for (const [path, field] of [
    ["/api/units", "name"],
    ["/api/roles", "name"],
    ["/api/service-accounts", "name"],
    ["/api/todos", "title"],
    ["/api/todos/all", "title"],
    ["/api/members", "lastName"],
  ] as const)
    for (const [order, expected] of [
      ["asc", sorted],
      ["desc", sorted.toReversed()],
    ] as const) {
      const { body } = await admin.get(`${path}?sort=${field}&order=${order}`);
      const found = body.data
        .map((row: Record<string, string>) => row[field])
        .filter((name: string) => names.includes(name));
      expect([path, found]).toEqual([path, expected]);
    }
  const platform = await t.platformAdmin();
  const search = crypto.randomUUID().slice(0, 8);
  for (const number of [10, 9])
    expectStatus(await admin.post("/api/auth/organizations", { name: `Org ${search} ${number}` }), 201);
  const { body } = await platform.get(`/api/organizations?search=${search}&sort=name&order=asc`);
  expect(body.data.map(({ name }: { name: string }) => name)).toEqual([
    `Org ${search} 9`,
    `Org ${search} 10`,
  ]);
});
