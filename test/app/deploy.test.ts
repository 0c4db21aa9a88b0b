import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { maxConnectionsOf } from "../../src/app/check-connections.ts";
import { readConfig } from "../../src/app/config.ts";
import { startService } from "../support/service.ts";

/* The files of docs/deploy name only metrics, variables and runbook sections that exist. */
const ROOT = join(import.meta.dir, "../..");
// The metric of a replica is exported only if one is configured; the replica need not respond.
const t = await startService({
  METRICS_PORT: "0",
  DATABASE_REPLICA_URL: "postgres://service@127.0.0.1:1/service",
});

const SUPERUSER_RESERVED = 3;
const textOf = (path: string) => Bun.file(join(ROOT, path)).text();
type Environment = Record<string, string>;
type Container = { image: string; env?: { name: string; value: string }[]; envFrom?: object[] };
type Manifest = {
  kind: string;
  metadata: { name: string };
  data: Environment;
  spec: {
    replicas: number;
    strategy: { rollingUpdate: { maxSurge: number } };
    template: {
      spec: {
        containers: Container[];
        terminationGracePeriodSeconds: number;
        volumes: { secret?: { secretName: string } }[];
      };
    };
  };
};
type ComposeService = { environment?: Environment; env_file?: string[]; stop_grace_period?: string };
type Compose = { services: Record<string, ComposeService>; secrets: Environment };
type Alert = { alert: string; expr: string; annotations: Environment; labels: Environment };

const compose = Bun.YAML.parse(await textOf("docs/deploy/compose.yaml")) as Compose;
const trial = Object.fromEntries(
  [...(await textOf("docs/deploy/trial.env")).matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [
    name,
    value,
  ]),
);
const manifests = ["migrate", "service"].map(async (name) =>
  [Bun.YAML.parse(await textOf(`docs/deploy/kubernetes/${name}.yaml`))].flat(),
);
const kubernetes = (await Promise.all(manifests)).flat() as Manifest[];
const settings = kubernetes.find(({ kind }) => kind === "ConfigMap")?.data ?? {};
const containers = kubernetes
  .filter(({ kind }) => kind === "Deployment" || kind === "Job")
  .flatMap(({ metadata, spec }) =>
    spec.template.spec.containers.map(({ env = [], envFrom = [] }) => ({
      name: metadata.name,
      environment: {
        ...(envFrom.length > 0 ? settings : {}),
        ...Object.fromEntries(env.map(({ name, value }) => [name, value])),
      } as Environment,
    })),
  );

/** Replaces `${NAME}`, `${NAME:-default}`, `${NAME:+value}` and `${NAME:?message}` as Docker Compose does. */
const interpolated = (value: unknown, variables: Environment) =>
  String(value).replace(/\$\{(\w+)(?::([-+?])([^}]*))?\}/g, (_, name, operator, rest) => {
    const given = variables[name] ?? "";
    if (operator === "+") return given && rest;
    return given || (operator === "-" ? rest : "");
  });
const fixed = (name: string, variables: Environment): Environment =>
  Object.fromEntries(
    Object.entries(compose.services[name]?.environment ?? {}).map(([key, value]) => [
      key,
      interpolated(value, variables),
    ]),
  );
/** Returns the environment of a container: the variables of its env_file, overridden by those of the compose file. */
const composed = (name: string, variables: Environment): Environment => ({
  ...(compose.services[name]?.env_file?.length === 1 && variables),
  ...fixed(name, variables),
});

/** Returns the environment with its secrets in files that exist. */
async function withSecrets(environment: Environment): Promise<Environment> {
  const folder = mkdtempSync(join(tmpdir(), "secrets-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const made = { ...environment };
  for (const [name, path] of Object.entries(environment)) {
    if (!name.endsWith("_FILE") || !path.startsWith("/run/secrets/")) continue;
    made[name] = join(folder, name);
    await Bun.write(
      made[name],
      name.startsWith("DATABASE") ? t.databaseUrl : `${name}-0123456789-0123456789-0123456789`,
    );
  }
  return made;
}

/** Reads .env.example unedited: its secrets are empty, and DATABASE_URL is an example. */
const ofExample = async (): Promise<Environment> =>
  Object.fromEntries(
    [...(await textOf(".env.example")).matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [
      name,
      String(value).replace(/^(["'])(.*)\1$/, "$2"),
    ]),
  );

test("each deployment example configures an instance completely", async () => {
  const examples = [
    composed("service", trial as Environment),
    composed("service", {
      ...(await ofExample()),
      SMTP_USER: "service",
      SMTP_PASS_FILE: "/run/secrets/smtp_pass",
    }),
    ...containers.filter(({ name }) => name !== "service-migrate").map(({ environment }) => environment),
  ];
  expect(examples.length).toBe(4);
  for (const example of examples) expect(readConfig(await withSecrets(example)).problems).toBeNull();
});

test("every variable of the deployment examples is read by the service", async () => {
  const known = new Set([...(await textOf(".env.example")).matchAll(/^(\w+)=/gm)].map(([, name]) => name));
  // A missing file is an error only for a secret.
  const isSecretFile = (name: string) =>
    (readConfig({ [name]: "/nonexistent" }).problems ?? []).some((problem) => problem.startsWith(`${name} `));
  const named = [
    ...["service", "migrate"].flatMap((name) => Object.keys(fixed(name, {}))),
    ...Object.keys(trial).filter((name) => !["COMPOSE_PROFILES", "ENV_FILE"].includes(name)),
    ...Object.keys(settings),
    ...containers.flatMap(({ environment }) => Object.keys(environment)),
  ];
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((name) => !known.has(name) && !isSecretFile(name))).toEqual([]);
});

const secretValues: Environment = {
  ...{
    DATABASE_URL_FILE: "",
    JWT_SECRET_FILE: "",
    JOBS_ENCRYPTION_KEY_FILE: "",
    TWO_FACTOR_ENCRYPTION_KEY_FILE: "",
  },
  ...{ DATABASE_URL: "postgres://service@127.0.0.1/service", JWT_SECRET: "1".repeat(32) },
  ...{ JOBS_ENCRYPTION_KEY: "2".repeat(32), TWO_FACTOR_ENCRYPTION_KEY: "3".repeat(32) },
};

test("every variable of the env_file reaches the compose containers, and the trial has the console and no proxy", () => {
  const { config } = readConfig({
    ...composed("service", {
      ...trial,
      REQUIRE_TWO_FACTOR: "all",
      RETENTION_AUDIT_MONTHS: "3",
    } as Environment),
    ...secretValues,
  });
  expect(config).toMatchObject({ web: true, production: false, appUrl: "http://localhost:3000" });
  expect(config).toMatchObject({ requireTwoFactor: "all", host: "0.0.0.0", port: 3000 });
  const chosen = (variables: Environment) => interpolated(compose.services.service?.env_file?.[0], variables);
  expect([chosen({}), chosen(trial as Environment)]).toEqual([".env", "trial.env"]);
});

test("in the deployment examples the service connects as a role that owns nothing, and migrations connect as the owner", () => {
  const owner = "/run/secrets/migrate_database_url";
  const files = ["service", "migrate"].map((name) => fixed(name, {}));
  expect(files.map(({ DATABASE_URL_FILE }) => DATABASE_URL_FILE)).toEqual([
    "/run/secrets/database_url",
    owner,
  ]);
  expect(files[1]?.DATABASE_API_ROLE).toBe("service_api");
  const ofJob = containers.find(({ name }) => name === "service-migrate")?.environment;
  expect(ofJob).toMatchObject({
    DATABASE_URL_FILE: "/run/secrets/service/database_url",
    DATABASE_API_ROLE: "service_api",
  });
  const secretsOf = kubernetes.flatMap(({ metadata, spec }) =>
    (spec?.template?.spec.volumes ?? []).flatMap(({ secret }) =>
      secret ? [[metadata.name, secret.secretName]] : [],
    ),
  );
  expect(secretsOf).toEqual([
    ["service-migrate", "service-migrate"],
    ["service-api", "service"],
    ["service-worker", "service"],
  ]);
  expect(settings.DATABASE_URL_FILE).toBe("/run/secrets/service/database_url");
});

test("the connections during a rolling update fit into the max_connections that the Kubernetes manifests require", async () => {
  const [, asked = 0] =
    /max_connections = (\d+)/.exec(await textOf("docs/deploy/kubernetes/service.yaml")) ?? [];
  const pools = Object.fromEntries(t.running.db.pools().map(({ pool, used, idle }) => [pool, used + idle]));
  const { transactions = 0, reads = 0 } = pools;
  expect(settings.DATABASE_POOL_SIZE).toBe(String(transactions));
  const JOBS = 2;
  const perInstance = [maxConnectionsOf(t.running), transactions + reads + JOBS];
  const deployments = kubernetes.filter(({ kind }) => kind === "Deployment");
  const sum = deployments.reduce((all, { spec }, index) => {
    const instances = spec.replicas + spec.strategy.rollingUpdate.maxSurge;
    return all + instances * (perInstance[index] ?? 0);
  }, 0);
  expect(perInstance).toEqual([39, 15]);
  expect(sum).toBeLessThanOrEqual(Number(asked) - SUPERUSER_RESERVED);
});

test("the deployment examples give an instance enough time to shut down", () => {
  const atLeast = (seconds: string | undefined) => Number(seconds) + 12;
  const { environment, stop_grace_period: grace = "" } = compose.services.service ?? {};
  expect(Number.parseInt(grace, 10)).toBeGreaterThanOrEqual(atLeast(String(environment?.DRAIN_SECONDS)));
  const periods = kubernetes
    .filter(({ kind }) => kind === "Deployment")
    .map(({ spec }) => spec.template.spec.terminationGracePeriodSeconds);
  expect(periods.length).toBe(2);
  for (const period of periods) expect(period).toBeGreaterThanOrEqual(atLeast(settings.DRAIN_SECONDS));
});

const alertsOf = async (path: string) =>
  (Bun.YAML.parse(await textOf(path)) as { groups: { rules: Alert[] }[] }).groups.flatMap(
    ({ rules }) => rules,
  );
const alerts = await alertsOf("docs/deploy/alerts.yaml");
const backupAlerts = await alertsOf("docs/deploy/backup/alerts.yaml");
const dashboard = JSON.parse(await textOf("docs/deploy/dashboard.json")) as {
  panels: { title: string; description?: string; targets?: { expr: string }[] }[];
};
const PROMETHEUS_OWN = ["up", "ALERTS"];
/** Returns the metrics of a query: its words that are not functions, labels, values or keywords. */
const metricsIn = (expr: string) =>
  [
    ...expr
      .replace(/\{[^}]*\}|\[[^\]]*\]|\b(?:by|on|without|ignoring) ?\([^)]*\)|"[^"]*"/g, " ")
      .matchAll(/(?<![\w.])[a-zA-Z_]\w*(?!\w*\s*\()/g),
  ]
    .map(([word]) => word)
    .filter((word) => !["and", "or", "unless", "by", "on", ...PROMETHEUS_OWN].includes(word));

test("every metric in the alerts and the dashboard is exported by the service", async () => {
  const text = await (await fetch(t.running.metricsUrl ?? "")).text();
  const types = new Map([...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, type]) => [name, type]));
  const exists = (name: string) =>
    types.has(name) || types.get(name.replace(/_(?:bucket|count|sum)$/, "")) === "histogram";
  const used = [
    ...alerts.map(({ expr }) => expr),
    ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
  ].flatMap(metricsIn);
  expect(new Set(used).size).toBeGreaterThan(15);
  expect(used.filter((name) => !exists(name))).toEqual([]);
});

test("every selector in the alerts and the dashboard names the scrape job, because other services have metrics of the same names", async () => {
  const { scrape_configs: jobs } = Bun.YAML.parse(await textOf("docs/deploy/prometheus.yaml")) as {
    scrape_configs: { job_name: string }[];
  };
  expect(jobs.map(({ job_name }) => job_name)).toEqual(["service"]);
  const queries = [
    ...alerts.map(({ expr }) => expr),
    ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
  ];
  const selected = (expr: string) => expr.replaceAll(/\w+\{job="service"(?:, [^}]*)?\}/g, "");
  expect(
    queries.filter((expr) => metricsIn(selected(expr)).length > 0 || /\bup\b/.test(selected(expr))),
  ).toEqual([]);
});

test("every metric in the backup alerts is written by check.sh", async () => {
  const script = await textOf("docs/deploy/backup/check.sh");
  const used = backupAlerts.flatMap(({ expr }) => metricsIn(expr));
  expect(new Set(used).size).toBe(4);
  expect(used.filter((name) => !new RegExp(`metric "${name}[ {]`).test(script))).toEqual([]);
});

test("every label value in an alert is exported by the service", async () => {
  const text = await (await fetch(t.running.metricsUrl ?? "")).text();
  const selected = alerts.flatMap(({ expr }) =>
    [...expr.matchAll(/(\w+)\{job="service", (outcome|state|reason)=~?"([^"]*)"\}/g)].flatMap(
      ([, metric, label, values = ""]) =>
        values.split("|").map((value) => ({ metric, pair: `${label}="${value}"` })),
    ),
  );
  expect(selected.length).toBeGreaterThan(5);
  const isReported = ({ metric, pair }: { metric: string | undefined; pair: string }) =>
    text.split("\n").some((line) => line.startsWith(`${metric}{`) && line.includes(pair));
  expect(selected.filter((one) => !isReported(one))).toEqual([]);
});

test("every alert says what to do, links to a runbook section that exists, and has a test", async () => {
  const files = [...new Bun.Glob("docs/operate/*.md").scanSync(ROOT)];
  const sections = await Promise.all(
    files.map(async (file) =>
      [...(await textOf(file)).matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) => ({ file, title })),
    ),
  );
  const anchors = sections.flat().map(
    ({ file, title }) =>
      `${file}#${title
        .toLowerCase()
        .replace(/[^\w -]/g, "")
        .replaceAll(" ", "-")}`,
  );
  const tests =
    (await textOf("docs/deploy/alerts.test.yaml")) + (await textOf("docs/deploy/backup/alerts.test.yaml"));
  expect(alerts.length).toBeGreaterThan(15);
  for (const { alert, annotations, labels } of [...alerts, ...backupAlerts]) {
    expect(["page", "ticket"]).toContain(labels.severity ?? "");
    expect(annotations.description).toMatch(/\w{2,}.*\.$/);
    expect(anchors).toContain(annotations.runbook ?? "");
    expect(tests).toContain(`alertname="${alert}"`);
  }
  const names = alerts.map(({ alert }) => alert);
  const mentioned = dashboard.panels.flatMap(
    ({ description = "" }) => description.match(/\b(?:[A-Z]\w+[A-Z]\w+|Unavailable)\b/g) ?? [],
  );
  expect(mentioned.filter((name) => !names.includes(name))).toEqual([]);
});

test("package.json, the changelog, the manifests and the OpenAPI document name the same release", async () => {
  const { version } = JSON.parse(await textOf("package.json"));
  const [, newest] =
    /^## (?:Unreleased\n\nBecomes )?(\d+\.\d+\.\d+)\b/m.exec(await textOf("CHANGELOG.md")) ?? [];
  const images = kubernetes.flatMap(
    ({ spec }) => spec?.template?.spec.containers.map(({ image }) => image) ?? [],
  );
  const document = (await (await fetch(`${t.url}/api/docs-json`)).json()) as { info: { version: string } };
  expect([newest, document.info.version]).toEqual([version, version]);
  expect([...new Set(images)]).toEqual([`registry.example.com/service:${version}`]);
});

test("the health check of the image reaches the service on any address that it listens on", async () => {
  const [, command = ""] = /^ {2}CMD (\[.*\])$/m.exec(await textOf("Dockerfile")) ?? [];
  const check = async (HOST: string, port: number) => {
    const env = { ...process.env, HOST, PORT: String(port) };
    return Bun.spawn(JSON.parse(command), { env, stderr: "ignore" }).exited;
  };
  for (const host of ["", "0.0.0.0", "::", "127.0.0.5", "localhost"]) {
    const server = Bun.serve({ port: 0, hostname: host || "0.0.0.0", fetch: () => new Response() });
    expect([host, await check(host, server.port ?? 0)]).toEqual([host, 0]);
    server.stop(true);
  }
  const failing = Bun.serve({ port: 0, fetch: () => new Response(null, { status: 503 }) });
  expect(await check("", failing.port ?? 0)).toBe(1);
  failing.stop(true);
});
