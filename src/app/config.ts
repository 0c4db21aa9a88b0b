import type { z } from "zod";
import { accessTokenConfig } from "../core/access/config.ts";
import { signOnConfig } from "../core/access/sign-on-config.ts";
import { signingKeyConfig } from "../core/access/signing-key-config.ts";
import type { Feature } from "../core/api/feature.ts";
import { type Config, serviceConfig } from "../core/config.ts";
import { eventConfig } from "../core/definitions/event-config.ts";
import { plansConfig } from "../core/plans/config.ts";
import { databaseConfig } from "../platform/db/config.ts";
import { type ConfigSection, type RawEnvironment, readSection } from "../platform/environment.ts";
import { httpConfig } from "../platform/http/config.ts";
import { jobsConfig } from "../platform/jobs/config.ts";
import { logConfig } from "../platform/log.ts";
import { smtpConfig } from "../platform/mail/config.ts";
import { metricsConfig } from "../platform/metrics-config.ts";
import { plaintextConfig } from "../platform/plaintext.ts";
import { readSecretFiles } from "../platform/secret-files.ts";
import { storageConfig } from "../platform/storage/config.ts";
import { tracingConfig } from "../platform/tracing/config.ts";
import { features, ofProcess } from "./features.ts";
import { unknownVariables } from "./unknown-variables.ts";

/** Returns the faults of the product's manifest. The service and its commands do not start with one. */
export const manifestProblems = (): string[] => ofProcess.faults.map((fault) => `PRODUCT_FILE ${fault}`);

type Result = { config: Config; problems: null } | { config: null; problems: string[] };

// biome-ignore lint/suspicious/noExplicitAny: sections differ in their variables
type Declared = ConfigSection<any, unknown>;

/** The sections in the order in which their problems are reported; a named one is a part of its own of the configuration. */
const PARTS: [name: keyof Config | null, section: Declared][] = [
  [null, serviceConfig],
  [null, httpConfig],
  [null, logConfig],
  [null, metricsConfig],
  [null, tracingConfig],
  ["database", databaseConfig],
  [null, jobsConfig],
  ["mail", smtpConfig],
  ["storage", storageConfig],
  [null, plaintextConfig],
  [null, accessTokenConfig],
  [null, signingKeyConfig],
  [null, signOnConfig],
  [null, eventConfig],
  ["billing", plansConfig],
  ...(features as readonly Feature[]).flatMap(({ config }): [null, Declared][] =>
    config === undefined ? [] : [[null, config]],
  ),
];
const SECTIONS = PARTS.map(([, section]) => section);

const secretNames = (raw: RawEnvironment) =>
  SECTIONS.flatMap(({ secrets = [] }) => (typeof secrets === "function" ? secrets(raw) : [...secrets]));

/** Returns the names of all variables that the service reads. Some names depend on the values of other variables. */
export const variableNames = (raw: RawEnvironment): string[] =>
  SECTIONS.flatMap(({ variables, furtherNames }) => [
    ...Object.keys(variables),
    ...(furtherNames?.(raw) ?? []),
  ]);

/** Returns the variables that are set, including secrets read from files. */
function readSecrets(environment: RawEnvironment) {
  const raw = Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim()));
  return readSecretFiles(raw, secretNames(raw));
}

/** Returns warnings about configuration that is valid but probably not intended. */
function warningsOf(raw: RawEnvironment): string[] {
  const files = secretNames(raw).map((name) => `${name}_FILE`);
  return [
    ...SECTIONS.flatMap(({ warn }) => warn?.(raw) ?? []),
    ...unknownVariables(raw, new Set([...variableNames(raw), ...files])),
  ];
}

/** Returns the configuration for commands that use only the database; otherwise its problems. */
export const readDatabaseConfig = (environment: RawEnvironment) =>
  readAlone(databaseConfig, environment, /^DATABASE_/);

/** Returns the storage's configuration, for a command that compares the storage with the database. */
export const readStorageConfig = (environment: RawEnvironment) =>
  readAlone(storageConfig, environment, /^(S3|AWS)_/);

/**
 * @param variables the section's variables for connections that may lack TLS, which commands require too (rules
 * 24.11)
 */
function readAlone<Variables extends z.ZodRawShape, Part>(
  section: ConfigSection<Variables, Part>,
  environment: RawEnvironment,
  variables: RegExp,
) {
  const { raw, problems } = readSecrets(environment);
  const result = readSection(section, raw);
  const plain = readSection(plaintextConfig, raw).problems ?? [];
  const own = [
    ...Object.keys(section.variables).flatMap((name) => problems.get(name) ?? []),
    ...plain.filter((problem) => variables.test(problem)),
  ];
  own.push(...manifestProblems());
  return own.length > 0 ? { config: null, problems: own } : result;
}

/**
 * Parses the environment. Returns the configuration, or all problems at once, without values (rules 24.1). An empty
 * variable counts as missing, because compose files and CI systems pass empty ones.
 */
export function readConfig(environment: Record<string, string | undefined>): Result {
  const { raw, problems: ofFiles } = readSecrets(environment);
  const problems: string[] = [...ofFiles.values(), ...manifestProblems()];
  const config = { warnings: warningsOf(raw) };
  for (const [name, section] of PARTS) {
    const result = readSection(section, raw);
    // A secret whose file is invalid is not reported as missing in addition.
    problems.push(...(result.problems ?? []).filter((problem) => !ofFiles.has(problem.split(" ")[0] ?? "")));
    Object.assign(config, name === null ? result.config : { [name]: result.config });
  }
  return problems.length === 0 ? { config: config as Config, problems: null } : { config: null, problems };
}
