import { expect, test } from "bun:test";
import type { ApiResponse, Caller } from "../support/caller.ts";
import { fields, formOf } from "../support/forms.ts";
import { OWN_TICKETS, reportBody } from "../support/helpdesk.ts";
import { createOrganization } from "../support/organizations.ts";
import { sharedService } from "../support/service.ts";

const t = await sharedService();
const { admin } = await createOrganization(t);
const anonymous = t.anonymous();

const ANSWER_BYTES = 16 * 1024;
const MAX_NAMED = 50;
const MAX_OF_A_NAME = 64;
/** Bytes that fit into a body of 100 KB besides its other fields. */
const ROOM = 100 * 1024 - 500;

const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, i) => make(i));
/** Returns as many items as fit into a body. */
const filled = <T>(make: (index: number) => T): T[] => {
  const count = Math.floor(ROOM / (Buffer.byteLength(JSON.stringify(make(99_999))) + 3));
  return times(count, make);
};
const named = (names: string[]) => Object.fromEntries(names.map((name) => [name, 0]));

function expectSmall(response: ApiResponse, status = 400) {
  expect([response.status, response.body.code]).toEqual([status, "VALIDATION_FAILED"]);
  expect(Buffer.byteLength(JSON.stringify(response.body))).toBeLessThan(ANSWER_BYTES - 1000);
  const { errors, message } = response.body;
  expect(errors.length).toBeGreaterThan(0);
  expect(errors.length).toBeLessThanOrEqual(MAX_NAMED);
  expect(message).toBe(errors.map((error: { message: string }) => error.message).join("; "));
  for (const { path } of errors) {
    for (const segment of path.split(".")) expect([...segment].length).toBeLessThanOrEqual(MAX_OF_A_NAME);
  }
}

const NUL = "\0";
const login = (extra: object) =>
  anonymous.post("/api/auth/login", { email: "a@example.com", password: "x", ...extra });
const ID = "0f9c1d5e-1111-4222-8333-444455556666";

test("an unknown property is reported once, by the first 64 characters of its name, and its value is not inspected", async () => {
  for (const value of [times(5700, () => NUL), [[[NUL]]], NUL, { a: { b: NUL } }]) {
    const response = await login({ ["x".repeat(51_000)]: value });
    const name = "x".repeat(MAX_OF_A_NAME);
    expect(response.body.errors).toEqual([{ path: name, message: `property ${name} should not exist` }]);
  }
  const nested = await admin.patch(`/api/members/${ID}/roles`, {
    assignments: [{ roleId: ID, ["y".repeat(50_000)]: [NUL] }],
  });
  const name = "y".repeat(MAX_OF_A_NAME);
  expect(nested.body.errors).toEqual([
    { path: `assignments.0.${name}`, message: `property ${name} should not exist` },
  ]);
});

test("an unknown query parameter is reported once, however often it is repeated", async () => {
  const response = await admin.get("/api/units?foo=1&foo=%00&foo=%FF&bar=%FF");
  expect(response.body.errors).toEqual([
    { path: "foo", message: "property foo should not exist" },
    { path: "bar", message: "property bar should not exist" },
  ]);
});

test("a truncated name never splits a character", async () => {
  const response = await login({ ["😀".repeat(100)]: 1, [`a${"😀".repeat(100)}`]: 1 });
  expect(response.body.errors.map(({ path }: { path: string }) => path)).toEqual([
    "😀".repeat(64),
    `a${"😀".repeat(63)}`,
  ]);
});

/** Bodies of up to 100 KB that would cause thousands of violations, or very long ones. */
const bodies: Record<string, [Caller, "post" | "patch", string, object]> = {
  "a long name over many NULs": [
    anonymous,
    "post",
    "/api/auth/login",
    { ["x".repeat(51_000)]: times(5700, () => NUL) },
  ],
  "many unknown properties": [anonymous, "post", "/api/auth/login", named(filled((i) => `property${i}`))],
  "many long names": [anonymous, "post", "/api/auth/login", named(filled((i) => `${i}${"x".repeat(200)}`))],
  "many long names of four bytes a character": [
    anonymous,
    "post",
    "/api/auth/login",
    named(filled((i) => `${i}${"😀".repeat(70)}`)),
  ],
  "many long names of escaped characters": [
    anonymous,
    "post",
    "/api/auth/login",
    named(times(200, (i) => `${i}${"\u0001".repeat(70)}`)),
  ],
  "deep nesting": [
    anonymous,
    "post",
    "/api/auth/login",
    { email: JSON.parse(`${"[".repeat(20_000)}${"]".repeat(20_000)}`) },
  ],
  "properties on a route that takes none": [
    anonymous,
    "post",
    "/api/auth/refresh",
    named(filled((i) => `p${i}`)),
  ],
  "wrong permissions": [
    admin,
    "post",
    "/api/roles",
    { name: "x", permissions: filled((i) => `Nothing.${i}`) },
  ],
  "permissions that are nothing": [
    admin,
    "post",
    "/api/roles",
    { name: "x", permissions: filled(() => null) },
  ],
  "permissions that are arrays": [admin, "post", "/api/roles", { name: "x", permissions: filled(() => []) }],
  "permissions of NULs": [admin, "post", "/api/roles", { name: "x", permissions: filled(() => NUL) }],
  "assignments of nothing": [admin, "patch", `/api/members/${ID}/roles`, { assignments: filled(() => ({})) }],
  "assignments of unknown properties": [
    admin,
    "patch",
    `/api/members/${ID}/roles`,
    { assignments: filled((i) => ({ [`p${i}`]: 1 })) },
  ],
  "units of nothing": [admin, "patch", `/api/members/${ID}/units`, { unitIds: filled(() => 1) }],
};

test("an error response lists at most 50 violations and is under 16 KB", async () => {
  for (const [, [who, method, path, body]] of Object.entries(bodies))
    expectSmall(await who[method](path, body));
  const query = times(700, (i) => `parameter${i}=1`).join("&");
  expectSmall(await admin.get(`/api/units?${query}`));
  expectSmall(await admin.get(`/api/units?${times(500, () => "search=1").join("&")}&x=${"x".repeat(5000)}`));
  expectSmall(await admin.get(`/api/units?${times(100, (i) => `${i}${"%01".repeat(30)}`).join("&")}`));
  const form = formOf(
    fields({ ...(reportBody() as object), ...named(times(40, (i) => `${i}${"x".repeat(5000)}`)) } as never),
  );
  expectSmall(await admin.post(OWN_TICKETS, undefined, form));
});

test("unknown unit ids are listed as violations up to the same limit of 50", async () => {
  const { admin } = await createOrganization(t);
  const { data } = (await admin.get("/api/members")).body;
  const response = await admin.patch(`/api/members/${data[0].userId}/units`, {
    unitIds: times(500, () => crypto.randomUUID()),
  });
  expectSmall(response);
  expect(response.body.errors).toHaveLength(MAX_NAMED);
});

test("validating a body with thousands of violations takes about as long as any other of its size", async () => {
  /** Returns the fastest of seven attempts, because other load on the machine only slows them down. */
  const quickest = async (work: () => Promise<ApiResponse>) => {
    const durations: number[] = [];
    for (let round = 0; round < 7; round += 1) {
      const start = performance.now();
      await work();
      durations.push(performance.now() - start);
    }
    return Math.min(...durations);
  };
  const usual = () => quickest(() => login({ extra: times(15_000, (i) => i) }));
  for (const [kind, [who, method, path, body]] of Object.entries(bodies)) {
    // A busy machine may slow all attempts of one side, so both are measured again, a few times.
    let ratio = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < 10 && ratio >= 20; attempt += 1)
      ratio = (await quickest(() => who[method](path, body))) / (await usual());
    expect([kind, ratio < 20]).toEqual([kind, true]);
  }
});
