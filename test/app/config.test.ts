import { expect, test } from "bun:test";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig, readDatabaseConfig, readStorageConfig } from "../../src/app/config.ts";

const SERVER = join(import.meta.dir, "../../src/server.ts");
const COMPLETE = {
  APP_URL: "https://app.test",
  DATABASE_URL: "postgres://user@localhost/service",
  JWT_SECRET: "jwt-secret-0123456789-0123456789-",
  JOBS_ENCRYPTION_KEY: "jobs-key-0123456789-0123456789-01",
  TWO_FACTOR_ENCRYPTION_KEY: "two-factor-0123456789-0123456789",
  MAIL_FROM: "no-reply@app.test",
  SMTP_HOST: "localhost",
  SMTP_PORT: "587",
};
const PRODUCTION = { NODE_ENV: "production", STORAGE_DIR: "/var/lib/service", BILLING_PLANS_FILE: "none" };
const PAYMENT = {
  PAYMENT_SECRET_KEY: "sk",
  PAYMENT_WEBHOOK_SECRET: "wh",
  PAYMENT_PRICES: "pro:month:price_1,enterprise:year:price_2",
};

type Environment = Record<string, string | undefined>;
const problemsOf = (environment: Environment) => readConfig({ ...COMPLETE, ...environment }).problems ?? [];
function configOf(environment: Environment = {}) {
  const { config, problems } = readConfig({ ...COMPLETE, ...environment });
  if (config === null) throw new Error(problems.join("\n"));
  return config;
}
/** Returns the names of the variables with problems. */
const wrongKeys = (environment: Environment) =>
  problemsOf(environment).map((problem) => problem.split(" ")[0]);

/** Splits a text at its spaces. */
const words = (text: string) => text.split(" ");
const NO_NUMBERS = words("-1 1.5 1e3 0x10 one 99999999999");
const ACME = {
  OIDC_PROVIDERS: "acme",
  OIDC_ACME_ISSUER: "https://a.test",
  OIDC_ACME_CLIENT_ID: "x",
  OIDC_ACME_CLIENT_SECRET: "y",
};
const ADDRESS = {
  good: words("http://localhost:5173 https://app.test/ HTTPS://app.test/base"),
  bad: [
    ...words("app.test //app.test ftp://app.test http:app.test https:// javascript:1"),
    ...["https://a b", "https://app.test?x=1", "https://app.test#x"],
  ],
};
const SECURE_ADDRESS = { good: ["https://app.test"], bad: ["http://app.test", "HTTP://app.test"] };
const POSTGRES = {
  good: ["postgres://h/d", "postgresql://u:p@h:5432/d?sslmode=require"],
  bad: ["mysql://h/d", "h"],
};
const SECRET = {
  good: ["x".repeat(32), "any string of thirty-two characters!"],
  bad: ["x".repeat(31)],
};

/** Values that a variable accepts and refuses, with other variables that are set beside it. */
const FORMATS: [key: string, values: { good?: string[]; bad?: string[] }, others?: Environment][] = [
  ["NODE_ENV", { good: words("development test"), bad: words("Production prod") }],
  ["APP_URL", ADDRESS],
  ["APP_URL", SECURE_ADDRESS, PRODUCTION],
  ["API_URL", ADDRESS],
  ["API_URL", SECURE_ADDRESS, PRODUCTION],
  ["DATABASE_URL", POSTGRES],
  ["DATABASE_LISTEN_URL", POSTGRES],
  ["DATABASE_POOL_SIZE", { good: words("1 100"), bad: [...NO_NUMBERS, "0"] }],
  ["PORT", { good: words("0 3000 65535"), bad: [...NO_NUMBERS, "65536"] }],
  ["METRICS_PORT", { good: ["9090"], bad: [...NO_NUMBERS, "65536"] }],
  ["THROTTLE_LIMIT", { good: words("1 1000"), bad: [...NO_NUMBERS, "0"] }],
  ["MAX_ACTIVE_SESSIONS_PER_USER", { good: ["1"], bad: [...NO_NUMBERS, "0"] }],
  ["REFRESH_TOKEN_TTL_DAYS", { good: words("1 365"), bad: [...NO_NUMBERS, "0", "366"] }],
  ["RETENTION_DELETED_ACCOUNTS_DAYS", { good: words("2 36500"), bad: [...NO_NUMBERS, "0", "1"] }],
  ["JWT_ACCESS_TTL", { good: words("1 24h"), bad: [...words("0 0m 25h 15min -5m m 1d"), "15 m"] }],
  ["LOG_LEVEL", { good: words("info silent"), bad: ["loud"] }],
  ["DEFAULT_LANGUAGE", { good: words("el en"), bad: words("EN fr") }],
  [
    "REQUIRE_TWO_FACTOR",
    { good: ["off", "platform-admins", "all", ""], bad: words("on true ALL platform-admins,all") },
  ],
  [
    "CORS_ORIGIN",
    {
      good: ["https://a.test", "https://a.test, http://localhost:5173"],
      bad: words("* null a.test https://a.test/ https://A.test https://a.test:443 https://a.test,x"),
    },
  ],
  [
    // A hop count from 1 to 10, or a list of proxies that does not include every address.
    "TRUST_PROXY",
    {
      good: ["1", "10", "10.0.0.1", "10.0.0.0/8, 2001:db8::/32", "::1", "::ffff:10.0.0.0/104", "0.0.0.0/1"],
      bad: [
        ...words(
          "true false 0 11 -1 1.5 yes * loopback 10.0.0.1, 10.0.0.1/33 ::1/129 10.1 10.0.0.1:80 [::1]",
        ),
        ...words("0.0.0.0/0 10.0.0.0/0 ::/0 2001:db8::/0 ::ffff:0.0.0.0/96 ::ffff:10.0.0.1/0 0.0.0.0/00"),
        ...words("10.0.0.1,::/0 10.0.0.0/255.0.0.0 10.0.0.0/8/8 proxy.test"),
      ],
    },
  ],
  ["JWT_SECRET", { good: ["x"] }],
  ["JWT_SECRET", { ...SECRET, good: [...SECRET.good, "é".repeat(16)] }, PRODUCTION],
  ["JWT_SECRET", { bad: ["é".repeat(15)] }, PRODUCTION],
  ["JOBS_ENCRYPTION_KEY", SECRET],
  ["TWO_FACTOR_ENCRYPTION_KEY", SECRET],
  ["CONNECTION_ENCRYPTION_KEY", { good: ["connection-key-0123456789-0123456789"], bad: ["short"] }],
  [
    "MAIL_FROM",
    {
      good: ["a@b.test", "Acme <a@b.test>", '"Acme, Inc." <a@b.test>', "<a@b.test>", "Δοκιμή <a@b.test>"],
      bad: [
        ...["Acme", "a@b.test, c@d.test", "Acme, Inc. <a@b.test>", "Acme <a@b.test", "Acme a@b.test"],
        "a@b.test\r\nBcc: c@d.test",
      ],
    },
  ],
  [
    "SMTP_HOST",
    {
      good: words("smtp.test mail_relay 10.0.0.1 ::1 [::1] 2001:db8::25 μαιλ.test"),
      bad: [...words("smtp.test:25 10.0.0.1:25 [::1]:25 smtp://smtp.test smtp.test/ ada@smtp.test"), "a b"],
    },
  ],
  ["SMTP_PORT", { good: words("1 65535"), bad: [...NO_NUMBERS, "0", "65536"] }],
  ["SMTP_ALLOW_PLAINTEXT", { good: words("true false"), bad: words("1 TRUE yes") }],
  ["REQUIRE_TLS", { good: words("true false"), bad: words("1 yes") }],
  [
    "ALLOW_PLAINTEXT",
    { good: ["database", "storage, database", "payments", "tracing"], bad: words("smtp , all") },
  ],
  ["STORAGE_DRIVER", { good: ["local"], bad: words("S3 disk") }],
  ["STORAGE_DRIVER", { bad: ["disk"] }, { ...PRODUCTION, STORAGE_DIR: undefined }],
  ["STORAGE_DIR", { good: ["data"] }],
  ["STORAGE_DIR", { good: ["/data"], bad: words("data ./data") }, PRODUCTION],
  ["S3_ENDPOINT", { good: ["http://localhost:9000"], bad: ["localhost:9000"] }],
  ["S3_FORCE_PATH_STYLE", { good: words("true false"), bad: words("1 yes TRUE") }],
  [
    "PAYMENT_PRICES",
    {
      good: ["pro:month:price_1, pro:year:price_2,enterprise:year:price_3"],
      bad: words(
        "pro pro:month pro:week:price_1 pro:month: :month:price_1 pro:month:a:b pro:month:price_1,x",
      ),
    },
    PAYMENT,
  ],
  ["OIDC_PROVIDERS", { bad: words("acme,Acme! acme,acme acme,-a acme,a_b") }, ACME],
  [
    "OIDC_ACME_ISSUER",
    {
      good: words("https://id.test https://id.test/realms/x/ http://localhost:9000"),
      bad: words("id.test https:id.test https:// https://id.test?x=y https://id.test/#x https://u:p@id.test"),
    },
    ACME,
  ],
  ["OIDC_ACME_ISSUER", { bad: ["http://id.test"] }, { ...ACME, ...PRODUCTION }],
  ["OIDC_ACME_NAME", { good: words("Acme Ακμή"), bad: ["A\tB", "x".repeat(101)] }, ACME],
  [
    "OIDC_ACME_SCOPES",
    { good: ["openid", " openid  email"], bad: ["email", "openid,email", 'openid "email"'] },
    ACME,
  ],
  ["OIDC_ACME_EMAILS", { good: ["verified", ""], bad: words("true Verified unverified") }, ACME],
  ["SSO", { good: ["off"], bad: ["true"] }],
  ["SSO_PROOF_HOURS", { good: words("1 720"), bad: words("0 721") }],
  ["SSO_ALLOWED_NETWORKS", { good: ["10.0.0.0/8"], bad: words("0.0.0.0/0 169.254.0.0/16 x") }],
  ["DOMAIN_DNS_LABEL", { good: words("acme-1 a"), bad: ["A", "a_b", "a".repeat(31)] }],
  [
    "DNS_SERVERS",
    {
      good: [...words("192.0.2.1 192.0.2.1:5353 2001:db8::1 [2001:db8::1]:5353"), "192.0.2.1, 192.0.2.2"],
      bad: words("dns.example.com 192.0.2.1:0 192.0.2.1:65536 192.0.2 ,"),
    },
  ],
  ["API_KEY_PREFIX", { bad: words("setup mosa mosc mosp mosr moss") }],
];

test.each(FORMATS)(
  "%s accepts values of its format and refuses all others",
  (key, { good = [], bad = [] }, others = {}) => {
    for (const value of good) expect([value, wrongKeys({ ...others, [key]: value })]).toEqual([value, []]);
    for (const value of bad)
      expect([value, [...new Set(wrongKeys({ ...others, [key]: value }))]]).toEqual([value, [key]]);
  },
);

test("a slash at the end of an address is left out", () => {
  expect(configOf({ APP_URL: "https://app.test/base/" }).appUrl).toBe("https://app.test/base");
});

test("a service without configuration names every missing variable at once, and exits with 1", async () => {
  const child = Bun.spawn(["bun", SERVER], {
    env: { PATH: process.env.PATH },
    stdout: "pipe",
    stderr: "pipe",
  });
  const text = await new Response(child.stderr).text();
  expect(await child.exited).toBe(1);
  for (const key of Object.keys(COMPLETE)) expect(text).toContain(`${key} is required`);
});

test("a service with an invalid configuration names every invalid variable, and shows no value", async () => {
  const wrong = {
    NODE_ENV: "production",
    APP_URL: "s3cret-app",
    DATABASE_URL: "mysql://s3cret",
    JWT_SECRET: "s3cret-short",
    JOBS_ENCRYPTION_KEY: "s3cret-jobs",
    TWO_FACTOR_ENCRYPTION_KEY: "s3cret-two",
    MAIL_FROM: "s3cret-mail",
    SMTP_HOST: "localhost",
    SMTP_PORT: "s3cret",
    TRUST_PROXY: "s3cret",
    CORS_ORIGIN: "s3cret",
    STORAGE_DRIVER: "s3cret",
    S3_ACCESS_KEY_ID: "s3cret",
    PAYMENT_SECRET_KEY: "s3cret",
    PAYMENT_PRICES: "s3cret",
    OIDC_PROVIDERS: "acme",
    OIDC_ACME_CLIENT_SECRET: "s3cret",
  };
  const child = Bun.spawn(["bun", SERVER], {
    env: { PATH: process.env.PATH, ...wrong },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, text] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  expect(await child.exited).toBe(1);
  const named = [
    ...Object.keys(wrong).filter((key) => !/^(NODE_ENV|SMTP_HOST|S3_|PAYMENT_SECRET|OIDC_)/.test(key)),
    ...["S3_SECRET_ACCESS_KEY", "PAYMENT_WEBHOOK_SECRET", "OIDC_ACME_ISSUER", "OIDC_ACME_CLIENT_ID"],
  ];
  for (const key of named) expect(text).toContain(`  ${key} `);
  expect(out + text).not.toContain("s3cret");
});

test("an empty variable counts as unset", () => {
  expect(wrongKeys({ SMTP_HOST: "", MAIL_FROM: "  " }).sort()).toEqual(["MAIL_FROM", "SMTP_HOST"]);
  const config = configOf({ PORT: "", TRUST_PROXY: "", CORS_ORIGIN: " ", THROTTLE_LIMIT: "", NODE_ENV: "" });
  expect([
    config.port,
    config.trustProxy,
    config.corsOrigins,
    config.throttleLimit,
    config.production,
  ]).toEqual([3000, null, [], 5, false]);
});

test("unset variables have the documented defaults", () => {
  expect(configOf()).toMatchObject({
    production: false,
    port: 3000,
    metricsPort: null,
    apiUrl: "https://app.test",
    accessTokenSeconds: 900,
    refreshTokenDays: 7,
    maxSessionsPerUser: 10,
    throttleLimit: 5,
    defaultLanguage: "en",
    mail: { secure: false, user: "" },
    storage: { driver: "local", s3: { forcePathStyle: false } },
    billing: { plans: { defaultPlan: "free", trial: { plan: "pro", days: 14 } }, prices: [] },
    oidc: [],
  });
});

test("a list variable that is set must not be empty: commas alone are an error", () => {
  const lists = {
    CORS_ORIGIN: {},
    TRUST_PROXY: {},
    OIDC_PROVIDERS: {},
    PAYMENT_PRICES: PAYMENT,
  };
  for (const [key, others] of Object.entries(lists))
    for (const value of [",", " , ", ",,,"])
      expect([key, wrongKeys({ ...PRODUCTION, ...others, [key]: value })]).toEqual([key, [key]]);
  const sold = { ...PRODUCTION, BILLING_PLANS_FILE: undefined };
  expect(wrongKeys({ ...sold, ...PAYMENT, PAYMENT_PRICES: "," })).toEqual(["PAYMENT_PRICES"]);
});

test("the two encryption keys must differ", () => {
  const same = "x".repeat(40);
  expect(problemsOf({ JOBS_ENCRYPTION_KEY: same, TWO_FACTOR_ENCRYPTION_KEY: same })).toEqual([
    "TWO_FACTOR_ENCRYPTION_KEY must differ from JOBS_ENCRYPTION_KEY",
  ]);
});

test("JWT_ACCESS_TTL is a number of seconds, or of minutes or hours with a unit letter", () => {
  for (const [value, seconds] of [
    ["900", 900],
    ["45s", 45],
    ["15m", 900],
    ["2h", 7200],
  ] as const)
    expect(configOf({ JWT_ACCESS_TTL: value }).accessTokenSeconds).toBe(seconds);
});

test("only the exact value true enables implicit TLS for SMTP, and any value except true and false is warned about", () => {
  const read = (value: string | undefined) => {
    const { mail, warnings } = configOf({ SMTP_SECURE: value });
    return [mail.secure, warnings.length];
  };
  for (const value of ["1", "TRUE", "yes"]) expect([value, ...read(value)]).toEqual([value, false, 1]);
  for (const value of ["false", undefined]) expect(read(value)).toEqual([false, 0]);
  expect(read("true")).toEqual([true, 0]);
});

test("SMTP_USER needs a password", () => {
  expect(wrongKeys({ SMTP_USER: "service" })).toEqual(["SMTP_PASS"]);
  expect(configOf({ SMTP_PASS: "secret" }).warnings).toEqual(["SMTP_PASS is not used without SMTP_USER"]);
  expect(wrongKeys({ SMTP_USER: "service", SMTP_PASS: "secret" })).toEqual([]);
});

test("a previous key must differ from the current one, and is warned about as long as it is set", () => {
  for (const key of ["JWT_SECRET", "JOBS_ENCRYPTION_KEY", "TWO_FACTOR_ENCRYPTION_KEY"] as const) {
    const previous = `${key}_PREVIOUS`;
    expect(wrongKeys({ [previous]: COMPLETE[key] })).toEqual([previous]);
    const { warnings } = configOf({ [previous]: "another-0123456789-0123456789-0123456789" });
    expect(warnings).toEqual([expect.stringContaining(`${previous} is set`)]);
  }
  expect(configOf({ JWT_SECRET: COMPLETE.JOBS_ENCRYPTION_KEY }).warnings).toEqual([
    expect.stringContaining("JOBS_ENCRYPTION_KEY"),
  ]);
  expect(configOf().warnings).toEqual([]);
});

test("METRICS_PORT must differ from PORT; metrics listen on HOST unless METRICS_HOST is set", () => {
  expect(wrongKeys({ METRICS_PORT: "3000" })).toEqual(["METRICS_PORT"]);
  expect(wrongKeys({ PORT: "9090", METRICS_PORT: "9090" })).toEqual(["METRICS_PORT"]);
  expect(wrongKeys({ PORT: "0", METRICS_PORT: "0" })).toEqual([]);
  expect(configOf({ HOST: "10.0.0.1" }).metricsHost).toBe("10.0.0.1");
  expect(configOf({ HOST: "10.0.0.1", METRICS_HOST: "127.0.0.1" }).metricsHost).toBe("127.0.0.1");
});

test("in production SMTP needs TLS, except on a loopback address or with SMTP_ALLOW_PLAINTEXT", () => {
  const needsTls = (environment: Environment) => configOf(environment).mail.requireTls;
  const local = ["localhost", "LOCALHOST", "127.0.0.1", "127.8.9.10", "::1", "[::1]", "::ffff:127.0.0.1"];
  const remote = ["smtp.test", "localhost.smtp.test", "0.0.0.0", "10.0.0.1", "::", "::ffff:10.0.0.1", "mail"];
  for (const host of local)
    expect([host, needsTls({ ...PRODUCTION, SMTP_HOST: host })]).toEqual([host, false]);
  for (const host of remote) {
    expect([host, needsTls({ ...PRODUCTION, SMTP_HOST: host })]).toEqual([host, true]);
    expect(needsTls({ ...PRODUCTION, SMTP_HOST: host, SMTP_ALLOW_PLAINTEXT: "true" })).toBe(false);
    expect(needsTls({ SMTP_HOST: host })).toBe(false);
  }
});

test("in production, PostgreSQL, S3 and payments without TLS are warned about or refused, unless they are local or explicitly allowed", () => {
  const database = (address: string, environment: Environment = {}) => ({
    ...PRODUCTION,
    DATABASE_URL: address,
    ...environment,
  });
  const s3 = { STORAGE_DRIVER: "s3", S3_BUCKET: "b", S3_REGION: "r" };
  const storage = (endpoint: string, environment: Environment = {}) => ({
    ...PRODUCTION,
    ...s3,
    S3_ENDPOINT: endpoint,
    ...environment,
  });
  const plain: [string, string, Environment][] = [
    ["database", "DATABASE_URL", database("postgres://u@db.test/service")],
    ["database", "DATABASE_URL", database("postgres://u@10.0.0.1/service?sslmode=prefer")],
    ["database", "DATABASE_URL", database("postgres://u@localhost.test/service?sslmode=disable")],
    ...["host=db.test", "HOST=db.test", "host=localhost&host=db.test"].map(
      (query): [string, string, Environment] => [
        "database",
        "DATABASE_URL",
        database(`postgres://u@127.0.0.1/service?${query}`),
      ],
    ),
    ["database", "DATABASE_URL", database("postgres:///service?host=db.test")],
    ["database", "DATABASE_URL", database("postgres:///service", { PGHOST: "db.test" })],
    ...["sslmode=disable", "sslMode=disable", "ssl=false", "tls=false"].map(
      (query): [string, string, Environment] => [
        "database",
        "DATABASE_URL",
        database(`postgres://u@db.test/service?sslmode=verify-full&${query}`),
      ],
    ),
    [
      "database",
      "DATABASE_LISTEN_URL",
      { ...PRODUCTION, DATABASE_LISTEN_URL: "postgres://u@db.test/service" },
    ],
    ["storage", "S3_ENDPOINT", storage("http://s3.test")],
    ["storage", "AWS_ENDPOINT_URL_S3", { ...PRODUCTION, ...s3, AWS_ENDPOINT_URL_S3: "http://s3.test" }],
    ["payments", "PAYMENT_API_URL", { ...PRODUCTION, PAYMENT_API_URL: "http://payments.test" }],
    [
      "tracing",
      "OTEL_EXPORTER_OTLP_ENDPOINT",
      { ...PRODUCTION, OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector.test:4318" },
    ],
    ["storage", "AWS_ENDPOINT_URL", { ...PRODUCTION, ...s3, AWS_ENDPOINT_URL: "http://s3.test" }],
  ];
  for (const [connection, variable, environment] of plain) {
    expect([variable, configOf(environment).plaintext]).toEqual([variable, [connection as never]]);
    expect(wrongKeys({ ...environment, REQUIRE_TLS: "true" })).toEqual([variable]);
    const allowed = { ...environment, REQUIRE_TLS: "true", ALLOW_PLAINTEXT: connection };
    expect(configOf(allowed).plaintext).toEqual([]);
    expect(configOf({ ...environment, NODE_ENV: "development", REQUIRE_TLS: "true" }).plaintext).toEqual([]);
  }
  const safe = [
    ...["require", "verify-ca", "verify-full"].map((mode) =>
      database(`postgres://u@db.test/s?sslmode=${mode}`),
    ),
    ...["127.0.0.1", "[::1]", "localhost"].map((host) => database(`postgres://u@${host}/service`)),
    database("postgres:///service?host=/var/run/postgresql"),
    database("postgres://u@%2Fvar%2Frun%2Fpostgresql/service"),
    database("postgres:///service"),
    storage("https://s3.test", { AWS_ENDPOINT_URL: "http://s3.test" }),
    storage("https://s3.test"),
    storage("http://127.0.0.1:9000"),
    { ...PRODUCTION, PAYMENT_API_URL: "https://payments.test" },
    { ...PRODUCTION, OTEL_EXPORTER_OTLP_ENDPOINT: "https://collector.test" },
    { ...PRODUCTION, OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" },
    { ...PRODUCTION, ...s3 },
  ];
  for (const environment of safe)
    expect([environment, wrongKeys({ ...environment, REQUIRE_TLS: "true" })]).toEqual([environment, []]);
});

test("with REQUIRE_TLS commands also refuse connections without TLS", () => {
  const environment = {
    ...COMPLETE,
    ...PRODUCTION,
    DATABASE_URL: "postgres://u@db.test/service",
    STORAGE_DRIVER: "s3",
    S3_BUCKET: "b",
    S3_REGION: "r",
    S3_ENDPOINT: "http://s3.test",
  };
  const variables = (given: Environment) =>
    [readDatabaseConfig(given), readStorageConfig(given)].map(({ problems }) =>
      problems?.map((problem) => problem.split(" ")[0]),
    );
  expect(variables({ ...environment, REQUIRE_TLS: "true" })).toEqual([["DATABASE_URL"], ["S3_ENDPOINT"]]);
  for (const allowed of [{}, { REQUIRE_TLS: "true", ALLOW_PLAINTEXT: "database,storage" }])
    expect(variables({ ...environment, ...allowed })).toEqual([undefined, undefined]);
});

test("local storage needs an absolute directory in production", () => {
  expect(problemsOf({ ...PRODUCTION, STORAGE_DIR: undefined })).toHaveLength(1);
});

test("S3 storage needs a bucket and a region, and either both keys or neither", () => {
  expect(wrongKeys({ STORAGE_DRIVER: "s3" }).sort()).toEqual(["S3_BUCKET", "S3_REGION"]);
  const s3 = { STORAGE_DRIVER: "s3", S3_BUCKET: "b", S3_REGION: "r" };
  expect(problemsOf(s3)).toEqual([]);
  expect(wrongKeys({ ...s3, S3_ACCESS_KEY_ID: "a" })).toEqual(["S3_SECRET_ACCESS_KEY"]);
  expect(wrongKeys({ ...s3, S3_SECRET_ACCESS_KEY: "a" })).toEqual(["S3_ACCESS_KEY_ID"]);
  expect(problemsOf({ ...s3, S3_ACCESS_KEY_ID: "a", S3_SECRET_ACCESS_KEY: "b" })).toEqual([]);
});

test("billing needs all of its variables; in development all or none", () => {
  const [first, ...rest] = Object.keys(PAYMENT).sort();
  expect(problemsOf({})).toEqual([]);
  expect(problemsOf(PAYMENT)).toEqual([]);
  expect(wrongKeys({ ...PAYMENT, [first ?? ""]: undefined })).toEqual([first]);
  expect(wrongKeys({ ...PRODUCTION, BILLING_PLANS_FILE: undefined }).sort()).toEqual([first, ...rest]);
  expect(problemsOf({ ...PRODUCTION, ...PAYMENT, BILLING_PLANS_FILE: undefined })).toEqual([]);
  expect(problemsOf(PRODUCTION)).toEqual([]);
});

test("every provider in OIDC_PROVIDERS needs its issuer and its client", () => {
  expect(wrongKeys({ OIDC_PROVIDERS: "google,my-idp" }).sort()).toEqual([
    ...["OIDC_GOOGLE_CLIENT_ID", "OIDC_GOOGLE_CLIENT_SECRET", "OIDC_GOOGLE_ISSUER"],
    ...["OIDC_MY_IDP_CLIENT_ID", "OIDC_MY_IDP_CLIENT_SECRET", "OIDC_MY_IDP_ISSUER"],
  ]);
});

test("an identity provider without a configured name or scopes has its key as name, and default scopes", () => {
  const named = { ...ACME, OIDC_ACME_NAME: " The Acme ", OIDC_ACME_SCOPES: " openid  email " };
  const [usual] = configOf(ACME).oidc;
  expect([usual?.name, usual?.scopes]).toEqual(["acme", "openid email profile"]);
  const [own] = configOf(named).oidc;
  expect([own?.name, own?.scopes]).toEqual(["The Acme", "openid email"]);
});

/** Writes a secret into a file for `<NAME>_FILE`; returns its path. */
async function fileWith(text: string): Promise<string> {
  const path = join(tmpdir(), `secret-${crypto.randomUUID()}`);
  await Bun.write(path, text);
  return path;
}
const SECRETS = [
  ...["DATABASE_URL", "DATABASE_LISTEN_URL", "JWT_SECRET", "JWT_SECRET_PREVIOUS", "SMTP_PASS"],
  ...["JOBS_ENCRYPTION_KEY", "JOBS_ENCRYPTION_KEY_PREVIOUS", "S3_SECRET_ACCESS_KEY", "PAYMENT_SECRET_KEY"],
  ...["TWO_FACTOR_ENCRYPTION_KEY", "TWO_FACTOR_ENCRYPTION_KEY_PREVIOUS", "PAYMENT_WEBHOOK_SECRET"],
  "OIDC_ACME_CLIENT_SECRET",
];

test("every secret can be read from a file, whose trailing line break is ignored", async () => {
  const given: Environment = {
    ...{ STORAGE_DRIVER: "s3", S3_BUCKET: "b", S3_REGION: "r", S3_ACCESS_KEY_ID: "id" },
    ...{ OIDC_PROVIDERS: "acme", OIDC_ACME_ISSUER: "https://a.test", OIDC_ACME_CLIENT_ID: "x" },
    PAYMENT_PRICES: PAYMENT.PAYMENT_PRICES,
  };
  for (const name of SECRETS) {
    const value = name.startsWith("DATABASE")
      ? `postgres://user@${name.toLowerCase().replaceAll("_", "-")}/x`
      : `${name} that is long enough, and a space at its end `;
    given[name] = undefined;
    given[`${name}_FILE`] = await fileWith(`${value}\n`);
  }
  const config = configOf(given);
  const long = (name: string) => `${name} that is long enough, and a space at its end `;
  expect([config.database.url, config.database.listenUrl]).toEqual([
    "postgres://user@database-url/x",
    "postgres://user@database-listen-url/x",
  ]);
  expect([
    ...[config.jwtSecret, config.jwtSecretPrevious, config.mail.pass, config.jobsKey, config.jobsKeyPrevious],
    ...[config.storage.s3.secretAccessKey, config.payments.secretKey, config.twoFactorKey],
    ...[config.twoFactorKeyPrevious, config.payments.webhookSecret, config.oidc[0]?.clientSecret],
  ]).toEqual(SECRETS.slice(2).map(long));
});

test("a secret that is set twice, or whose file is missing, empty or a folder, is refused without being printed", async () => {
  const file = await fileWith("s3cret-0123456789-0123456789-0123456789");
  const wrong = [file, "/nowhere/s3cret", await fileWith("\n"), tmpdir()];
  for (const [index, path] of wrong.entries()) {
    const environment = {
      JWT_SECRET: index === 0 ? COMPLETE.JWT_SECRET : undefined,
      JWT_SECRET_FILE: path,
    };
    const problems = problemsOf(environment);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(
      /^JWT_SECRET(_FILE names a file that | must not be set beside JWT_SECRET_FILE)/,
    );
    expect(problems[0]).not.toContain("s3cret");
  }
});

test("SSO=on needs CONNECTION_ENCRYPTION_KEY, which differs from the other keys", () => {
  const key = "connection-key-0123456789-0123456789";
  expect(problemsOf({ SSO: "on" })).toEqual(["CONNECTION_ENCRYPTION_KEY is required with SSO=on"]);
  for (const other of ["JOBS_ENCRYPTION_KEY", "TWO_FACTOR_ENCRYPTION_KEY", "JWT_SECRET"])
    expect(problemsOf({ [other]: key, CONNECTION_ENCRYPTION_KEY: key })).toContain(
      `CONNECTION_ENCRYPTION_KEY must differ from ${other}`,
    );
  expect(problemsOf({ CONNECTION_ENCRYPTION_KEY: key, CONNECTION_ENCRYPTION_KEY_PREVIOUS: key })).toEqual([
    "CONNECTION_ENCRYPTION_KEY_PREVIOUS must differ from CONNECTION_ENCRYPTION_KEY",
  ]);
});

test("all wrong variables of sign-on are named together", () => {
  expect(
    wrongKeys({
      SSO: "x",
      DOMAIN_DNS_LABEL: "X",
      DNS_SERVERS: "x",
      SSO_PROOF_HOURS: "x",
      API_KEY_PREFIX: "setup",
    }),
  ).toEqual(["SSO", "DOMAIN_DNS_LABEL", "DNS_SERVERS", "SSO_PROOF_HOURS", "API_KEY_PREFIX"]);
  expect(configOf({ DNS_SERVERS: "[2001:db8::1]:5353" })).toMatchObject({
    sso: false,
    domainDnsLabel: "mos-verify",
    ssoProofHours: 24,
    dnsServers: [{ address: "2001:db8::1", port: 5353 }],
  });
});
