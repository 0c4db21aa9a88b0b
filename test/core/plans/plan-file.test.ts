import { expect, test } from "bun:test";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../../../src/app/config.ts";
import { environmentFor } from "../../support/environment.ts";
import { PAYMENT, PLANS, planFiles } from "../../support/plans.ts";

const planFile = planFiles();
const SERVER = join(import.meta.dir, "../../../src/server.ts");

type Environment = Record<string, string | undefined>;
const environment = (file: string | undefined, others: Environment = {}): Environment => ({
  ...environmentFor("postgres://user@localhost/service", 25),
  BILLING_PLANS_FILE: file,
  ...others,
});
/** Returns the configuration errors of a plan file. */
const problemsOf = (content: unknown, others: Environment = {}) =>
  readConfig(environment(planFile(content), others)).problems ?? [];
/** Returns the plans of a valid plan file. */
function plansOf(content: unknown) {
  const { config, problems } = readConfig(environment(planFile(content)));
  if (config === null) throw new Error(problems.join("\n"));
  return config.billing.plans;
}

const [FREE, GIFT, PRO, ENTERPRISE] = PLANS.plans;
const FILE = "BILLING_PLANS_FILE";

/** Expects exactly one problem for each pattern, and no others. */
function expectNamed(problems: string[], named: RegExp[]) {
  const missing = named.filter((one) => !problems.some((problem) => one.test(problem)));
  expect({ missing: missing.map(String), problems }).toEqual({ missing: [], problems: expect.any(Array) });
  expect(problems).toHaveLength(named.length);
}

test("a valid plan file is accepted, with and without payment settings", () => {
  expect(problemsOf(PLANS)).toEqual([]);
  expect(problemsOf(PLANS, PAYMENT)).toEqual([]);
  expect(plansOf(PLANS)).toEqual(PLANS);
});

test("without BILLING_PLANS_FILE the bundled plans apply; with `none` there are no plans", () => {
  const { config } = readConfig(environment(undefined));
  expect(config?.billing.plans).toEqual({
    plans: [
      {
        key: "free",
        limits: { members: 5, units: 3, todos: 100, serviceAccounts: 2, webhookEndpoints: 1 },
        features: [],
        paid: false,
      },
      {
        key: "pro",
        limits: { members: 50, units: 50, todos: 10_000, serviceAccounts: 20, webhookEndpoints: 10 },
        features: ["audit"],
        paid: true,
      },
      { key: "enterprise", limits: {}, features: ["audit", "sso"], paid: true },
    ],
    defaultPlan: "free",
    trial: { plan: "pro", days: 14 },
  });
  expect(readConfig(environment("none")).config?.billing.plans).toBeNull();
});

test("in a plan file a null or missing limit is unlimited, and 0 allows none", () => {
  const limits = { units: null, todos: 0 };
  const plans = plansOf({ ...PLANS, plans: [{ ...FREE, limits }, PRO] })?.plans;
  const [free] = plans ?? [];
  expect([free?.limits.units ?? null, free?.limits.todos, free?.limits.members ?? null]).toEqual([
    null,
    0,
    null,
  ]);
});

test("a plan file without a trial is valid", () => {
  expect(plansOf({ ...PLANS, trial: null })?.trial).toBeNull();
});

test("unknown properties and wrong types in a plan file are reported with their paths, all at once", () => {
  const problems = problemsOf({
    ...PLANS,
    colour: "red",
    plans: [
      { ...FREE, price: 1 },
      { ...GIFT, limits: { units: -1, todos: 1.5, members: "5" } },
      { ...PRO, paid: "yes", features: "audit" },
      { ...ENTERPRISE, key: 5, features: [1], limits: [] },
    ],
    trial: { plan: "pro", days: "14", cards: true },
  });
  expectNamed(problems, [
    new RegExp(`^${FILE} .*colour`),
    new RegExp(`^${FILE} .*plans\\.0.*price`),
    new RegExp(`^${FILE} .*plans\\.1\\.limits\\.units`),
    new RegExp(`^${FILE} .*plans\\.1\\.limits\\.todos`),
    new RegExp(`^${FILE} .*plans\\.1\\.limits\\.members`),
    new RegExp(`^${FILE} .*plans\\.2\\.paid`),
    new RegExp(`^${FILE} .*plans\\.2\\.features`),
    new RegExp(`^${FILE} .*plans\\.3\\.key`),
    new RegExp(`^${FILE} .*plans\\.3\\.features\\.0`),
    new RegExp(`^${FILE} .*plans\\.3\\.limits`),
    new RegExp(`^${FILE} .*trial\\.days`),
    new RegExp(`^${FILE} .*trial.*cards`),
  ]);
});

test("a missing property of a plan file is reported with its path, and an empty list of plans is rejected", () => {
  expectNamed(problemsOf({}), [new RegExp(`^${FILE} .*plans`), new RegExp(`^${FILE} .*defaultPlan`)]);
  expectNamed(problemsOf({ ...PLANS, plans: [{ limits: {} }, ...PLANS.plans], trial: {} }), [
    new RegExp(`^${FILE} .*plans\\.0\\.key`),
    new RegExp(`^${FILE} .*trial\\.plan`),
    new RegExp(`^${FILE} .*trial\\.days`),
  ]);
  expect(problemsOf({ ...PLANS, plans: [] })).not.toEqual([]);
  for (const content of ["null", "[]", "5", '"free"']) expect(problemsOf(content)).toHaveLength(1);
});

test("a trial of zero days, or of a fraction of a day, is an error", () => {
  for (const days of [0, -1, 1.5, null])
    expectNamed(problemsOf({ ...PLANS, trial: { plan: "pro", days } }), [
      new RegExp(`^${FILE} .*trial\\.days`),
    ]);
});

test("a plan file's duplicate keys, paid default plan and unknown trial plan are reported at once", () => {
  const problems = problemsOf({
    plans: [FREE, FREE, PRO, PRO, PRO],
    defaultPlan: "pro",
    trial: { plan: "gone", days: 14 },
  });
  expectNamed(problems, [
    new RegExp(`^${FILE} .*free`),
    new RegExp(`^${FILE} plans.*pro`),
    new RegExp(`^${FILE} .*defaultPlan.*paid`),
    new RegExp(`^${FILE} .*trial\\.plan.*gone`),
  ]);
});

test("an unknown default plan and an unknown trial plan are reported together", () => {
  const problems = problemsOf({ ...PLANS, defaultPlan: "nothing", trial: { plan: "gone", days: 14 } });
  expectNamed(problems, [new RegExp(`^${FILE} .*defaultPlan.*nothing`), /trial\.plan.*gone/]);
});

test("prices of unknown plans, paid plans without one and duplicate prices are reported at once", () => {
  const problems = problemsOf(PLANS, {
    ...PAYMENT,
    PAYMENT_PRICES: "gone:month:price_1,pro:month:price_2,pro:month:price_3,pro:year:price_3",
  });
  expectNamed(problems, [
    /^PAYMENT_PRICES .*gone/,
    /^PAYMENT_PRICES .*enterprise/,
    /^PAYMENT_PRICES .*pro:month.*twice/,
    /^PAYMENT_PRICES .*price twice/,
  ]);
});

test("errors of the plan file, the prices and other variables are reported together", () => {
  const problems = problemsOf(
    { ...PLANS, defaultPlan: "pro" },
    { ...PAYMENT, PAYMENT_PRICES: "pro:month:price_1", SMTP_PORT: "none", TRUST_PROXY: "true" },
  );
  expectNamed(problems, [
    /^SMTP_PORT /,
    /^TRUST_PROXY /,
    new RegExp(`^${FILE} .*defaultPlan.*paid`),
    /^PAYMENT_PRICES .*enterprise/,
  ]);
});

test("a structural error in the plan file hides no other errors of the file or the prices", () => {
  const problems = problemsOf(
    {
      plans: [{ ...FREE, limits: { units: -1 } }, FREE, PRO],
      defaultPlan: "nothing",
      trial: { plan: "gone", days: 14 },
    },
    { ...PAYMENT, PAYMENT_PRICES: "lost:month:price_1,pro:month:price_2" },
  );
  expectNamed(problems, [
    new RegExp(`^${FILE} .*plans\\.0\\.limits\\.units`),
    new RegExp(`^${FILE} plans.*free`),
    new RegExp(`^${FILE} .*defaultPlan.*nothing`),
    new RegExp(`^${FILE} .*trial\\.plan.*gone`),
    /^PAYMENT_PRICES .*lost/,
  ]);
});

test("a missing plan file, a folder, and invalid JSON are one problem each", () => {
  for (const path of [join(tmpdir(), `${crypto.randomUUID()}.json`), tmpdir()])
    expect(readConfig(environment(path)).problems).toEqual([`${FILE} cannot be read`]);
  for (const content of ["", "{", "{'plans': []}", `${JSON.stringify(PLANS)},`])
    expect(problemsOf(content)).toEqual([`${FILE} is not valid JSON`]);
});

test("the errors of a plan file show no secret and no content of the file", () => {
  const secret = "s3cret";
  const payment = {
    PAYMENT_SECRET_KEY: secret,
    PAYMENT_WEBHOOK_SECRET: secret,
    PAYMENT_PRICES: `gone:month:${secret},gone:month:${secret}`,
    SMTP_PASS: secret,
    JWT_SECRET: secret,
    JOBS_ENCRYPTION_KEY: secret,
    DATABASE_URL: `mysql://user:${secret}@localhost`,
  };
  for (const content of [PLANS, `{ ${secret}`, { ...PLANS, defaultPlan: 5 }]) {
    const problems = problemsOf(content, payment);
    expect(problems.length).toBeGreaterThan(2);
    expect(problems.join("\n")).not.toContain(secret);
  }
  expect(readConfig(environment(`/nowhere/${secret}`)).problems?.join()).not.toContain(secret);
});

test("a service with an invalid plan file reports every error and exits with 1 before it starts anything", async () => {
  const path = planFile({ ...PLANS, defaultPlan: "pro", trial: { plan: "gone", days: 14 } });
  const child = Bun.spawn(["bun", SERVER], {
    env: {
      PATH: process.env.PATH,
      ...environment(path, { ...PAYMENT, PAYMENT_PRICES: "pro:month:price_1" }),
    },
    stdout: "pipe",
    stderr: "pipe",
  });
  const text = await new Response(child.stderr).text();
  expect(await child.exited).toBe(1);
  for (const named of ["defaultPlan pro", "trial.plan gone"]) expect(text).toContain(`  ${FILE} ${named}`);
  expect(text).toMatch(/ {2}PAYMENT_PRICES .*enterprise/);
  for (const secret of [PAYMENT.PAYMENT_SECRET_KEY, PAYMENT.PAYMENT_WEBHOOK_SECRET])
    expect(text).not.toContain(secret);
});
