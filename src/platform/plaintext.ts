import { z } from "zod";
import {
  commaSeparated,
  configSection,
  flag,
  isListOf,
  isProduction,
  type RawEnvironment,
} from "./environment.ts";
import { isLoopback } from "./loopback.ts";

/** The kinds of connections except mail, for which SMTP_ALLOW_PLAINTEXT allows connections without TLS. */
const CONNECTIONS = ["database", "storage", "payments", "tracing"] as const;
type Connection = (typeof CONNECTIONS)[number];

export type PlaintextConfig = {
  /** Returns the connections that cross a network without TLS although this was not allowed, for a warning. */
  plaintext: Connection[];
};

/** The connections that may be without TLS in production (rules 24.11). */
export const plaintextConfig = configSection({
  variables: {
    REQUIRE_TLS: flag.default(false),
    ALLOW_PLAINTEXT: z
      .string()
      .optional()
      .refine(
        (value) => isListOf(value, (name) => CONNECTIONS.some((known) => known === name)),
        `must be a comma-separated list of ${CONNECTIONS.join(", ")}`,
      ),
  },
  check: (raw) =>
    raw.REQUIRE_TLS === "true"
      ? findPlaintext(raw).map(({ variable, remedy }) => `${variable} must ${remedy} with REQUIRE_TLS`)
      : [],
  read: (_, raw): PlaintextConfig => ({
    plaintext: [...new Set(findPlaintext(raw).map(({ connection }) => connection))],
  }),
});

type Plaintext = { connection: Connection; variable: string; remedy: string };

function findPlaintext(raw: RawEnvironment): Plaintext[] {
  if (!isProduction(raw)) return [];
  const allowed = commaSeparated(raw.ALLOW_PLAINTEXT ?? "");
  const http = { remedy: "begin with https://" };
  const found: Plaintext[] = [
    ...plainDatabases(raw).map((variable) => ({
      connection: "database" as const,
      variable,
      remedy: "have sslmode=verify-full and no other parameter for TLS",
    })),
    ...plainStorage(raw).map((variable) => ({ connection: "storage" as const, variable, ...http })),
  ];
  // Requests to the payment provider contain its secret key.
  if (isPlainHttp(raw.PAYMENT_API_URL ?? ""))
    found.push({ connection: "payments", variable: "PAYMENT_API_URL", ...http });
  // Headers of the trace exporter may contain credentials, and spans describe what users do.
  if (isPlainHttp(raw.OTEL_EXPORTER_OTLP_ENDPOINT ?? ""))
    found.push({ connection: "tracing", variable: "OTEL_EXPORTER_OTLP_ENDPOINT", ...http });
  return found.filter(({ connection }) => !allowed.includes(connection));
}

const plainDatabases = (raw: RawEnvironment) =>
  Object.keys(raw)
    .filter((name) => /^DATABASE_(\w+_)?URL$/.test(name))
    .filter((name) => isPlainDatabase(raw[name] ?? "", raw));

/**
 * Returns the variables of the storage whose connections are without TLS. Without S3_ENDPOINT, the AWS SDK reads the address from its
 * own variables.
 */
function plainStorage(raw: RawEnvironment): string[] {
  if (raw.STORAGE_DRIVER !== "s3") return [];
  const variables = raw.S3_ENDPOINT ? ["S3_ENDPOINT"] : ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"];
  return variables.filter((name) => isPlainHttp(raw[name] ?? ""));
}

const ENCRYPTED_MODES = ["require", "verify-ca", "verify-full"];

/**
 * Whether a database URL requires TLS with every driver. The drivers read repeated parameters differently (one uses
 * the first, the other the last), and one also knows `ssl` and `tls`. So either every host in the URL must be this
 * machine, or all its TLS parameters must require TLS.
 */
function isPlainDatabase(address: string, raw: RawEnvironment): boolean {
  if (!URL.canParse(address)) return false; // A malformed URL is reported by its own configuration section.
  const { hostname, searchParams } = new URL(address);
  const valuesOf = (name: RegExp) =>
    [...searchParams].filter(([key]) => name.test(key)).map(([, value]) => value);
  const named = [hostname, ...valuesOf(/^host(addr|name)?$/i)].filter(Boolean);
  const hosts = named.length > 0 ? named : [raw.PGHOST ?? "localhost"];
  const [mode, ...more] = valuesOf(/^(ssl|sslmode|tls)$/i);
  const isEncrypted = mode !== undefined && more.length === 0 && ENCRYPTED_MODES.includes(mode);
  return !isEncrypted && !hosts.every((host) => isSocket(host) || isLoopback(host));
}

const isSocket = (host: string) => host.startsWith("/") || host.startsWith("%2F");

function isPlainHttp(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === "http:" && !isLoopback(hostname);
}
