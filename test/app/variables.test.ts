import { expect, test } from "bun:test";
import { join } from "node:path";
import { readConfig, variableNames } from "../../src/app/config.ts";
import type { Feature } from "../../src/core/api/feature.ts";
import { product } from "../../src/product/index.ts";
import { environmentFor } from "../support/environment.ts";

const ROOT = join(import.meta.dir, "../..");
const textOf = (path: string) => Bun.file(join(ROOT, path)).text();
const sorted = (names: Iterable<string | undefined>) => [...new Set(names)].toSorted();
const ofProduct = new Set(
  (product as readonly Feature[]).flatMap(({ config }) => Object.keys(config?.variables ?? {})),
);
const known = variableNames({ OIDC_PROVIDERS: "acme" }).filter((name) => !ofProduct.has(name));
const matches = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name]) => name);

const COMPLETE = environmentFor("postgres://user@localhost/service", 25);
const warnings = (environment: Record<string, string>) =>
  readConfig({ ...COMPLETE, ...environment }).config?.warnings;

test("the workerd configuration passes on every variable that the service reads", async () => {
  const bound = matches(await textOf("docs/deploy/edge.capnp"), /name = "(\w+)", fromEnvironment = "\1"/g);
  expect(known.length).toBeGreaterThan(60);
  expect(sorted(bound)).toEqual(sorted(known));
});

test(".env.example names every variable that the service reads", async () => {
  const named = matches(await textOf(".env.example"), /^(?:# )?([A-Z][A-Z0-9_]*)=/gm);
  expect(sorted(named.filter((name) => name !== "JWT_SECRET_FILE"))).toEqual(sorted(known));
});

test("a shell and a container read the same values from .env.example", async () => {
  const text = await textOf(".env.example");
  const asContainer = Object.fromEntries(
    [...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
  );
  const read = Bun.spawnSync(["sh", "-c", "set -a; . ./.env.example; set +a; env"], {
    cwd: ROOT,
    env: { PATH: process.env.PATH },
  });
  expect([read.exitCode, read.stderr.toString()]).toEqual([0, ""]);
  const asShell = Object.fromEntries(
    [...read.stdout.toString().matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
  );
  expect(asShell).toMatchObject(asContainer);
});

test("an unknown variable that begins with the first word of a service's variable is warned about, without its value", () => {
  for (const name of [
    ...[
      "REQUIRE_TWOFACTOR",
      "RETENTION_AUDIT_MONTH",
      "SMTP_PASSW",
      "JWT_SECRET_PREVIOUS_FIL",
      "DATABASE_POOLSIZE",
    ],
    ...["DATABASE_PASSWORD", "OIDC_ACME_CLIENT_ID", "STORAGE_BUCKET"],
  ])
    expect(warnings({ [name]: "s3cret" })).toEqual([`${name} is no variable of the service`]);
});

test("variables of the service, of Kubernetes and of other programs cause no warning", () => {
  const provider = { OIDC_PROVIDERS: "acme", OIDC_ACME_ISSUER: "https://id.test", OIDC_ACME_CLIENT_ID: "a" };
  const others = {
    ...{ HOME: "/", HOSTNAME: "a", PATH: "/bin", NODE_EXTRA_CA_CERTS: "/ca.pem", TZ: "UTC", PGHOST: "db" },
    ...{ OTEL_RESOURCE_ATTRIBUTES: "a=b", AWS_REGION: "eu", MAX_OLD_SPACE: "1", API_KEY_OF_ANOTHER: "x" },
    ...{ DATABASE_SERVICE_HOST: "10.0.0.1", DATABASE_SERVICE_PORT: "5432", DATABASE_SERVICE_PORT_PG: "5432" },
    ...{ DATABASE_PORT_5432_TCP: "tcp://10.0.0.1:5432", DATABASE_PORT_5432_TCP_ADDR: "10.0.0.1" },
  };
  expect(warnings({ ...provider, OIDC_ACME_CLIENT_SECRET: "s", OIDC_ACME_NAME: "A", ...others })).toEqual([]);
});
