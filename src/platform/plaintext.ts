import { z } from "zod";
import { configSection, flag, isListOf, isProduction, list, type RawEnvironment } from "./environment.ts";
import { isLoopback } from "./loopback.ts";

/** Beside mail, which has SMTP_ALLOW_PLAINTEXT. */
const CONNECTIONS = ["database", "storage"] as const;
type Connection = (typeof CONNECTIONS)[number];

export type PlaintextConfig = {
  /** The connections that cross a network without TLS, though nobody has allowed it; for a warning. */
  plaintext: Connection[];
};

/** Which connections may do without TLS in production (rules 24.11). */
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
  const allowed = list(raw.ALLOW_PLAINTEXT ?? "");
  const databases = Object.keys(raw).filter((name) => /^DATABASE_(\w+_)?URL$/.test(name));
  const found: Plaintext[] = databases
    .filter((name) => isPlainDatabase(raw[name] ?? ""))
    .map((variable) => ({ connection: "database", variable, remedy: "have sslmode=verify-full" }));
  if (raw.STORAGE_DRIVER === "s3" && isPlainHttp(raw.S3_ENDPOINT ?? ""))
    found.push({ connection: "storage", variable: "S3_ENDPOINT", remedy: "begin with https://" });
  return found.filter(({ connection }) => !allowed.includes(connection));
}

const ENCRYPTED_MODES = ["require", "verify-ca", "verify-full"];

function isPlainDatabase(address: string): boolean {
  if (!URL.canParse(address)) return false; // Reported by its own section.
  const { hostname, searchParams } = new URL(address);
  const isSocket = hostname === "" || hostname.startsWith("%2F") || searchParams.get("host")?.startsWith("/");
  return !isSocket && !isLoopback(hostname) && !ENCRYPTED_MODES.includes(searchParams.get("sslmode") ?? "");
}

function isPlainHttp(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === "http:" && !isLoopback(hostname);
}
