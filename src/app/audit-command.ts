import { z } from "zod";
import * as seals from "#sql/audit-seals";
import { chainOf, organizationOf } from "../features/audit/chain.ts";
import { auditConfig } from "../features/audit/config.ts";
import { verifyChains } from "../features/audit/verify.ts";
import type { Finding, SavedHead } from "../features/audit/verify-report.ts";
import { bunDriver } from "../platform/db/drivers/bun.ts";
import type { Queryable } from "../platform/db/prepared-query.ts";
import { readSection } from "../platform/environment.ts";
import { needed } from "./command.ts";
import { readDatabaseConfig } from "./config.ts";

const USAGE = `Usage: bun run audit verify [--organization <id> | --platform] [--heads <file>]
       bun run audit heads [--organization <id> | --platform]

verify compares all audit events with the chains in which they were sealed, names those that were changed, removed or
inserted, and exits with 1 if there are any. With --heads it also compares the chains with what "heads" printed earlier.
heads prints the last digest of each chain, one a line: save them where nobody who can write to the database can.`;

type Arguments = { verb: "verify" | "heads"; chain: string | null; heads: string | null };

/** Runs `bun run audit` with its arguments; returns its exit code. @throws Error with the usage text for others */
export async function runAuditCommand(given: string[]): Promise<number> {
  const asked = argumentsOf(given);
  const saved = await savedHeads(asked.heads);
  const { listenUrl } = needed(readDatabaseConfig(process.env));
  const pool = bunDriver({ url: listenUrl, size: 1, settings: SETTINGS });
  const db: Queryable = { query: async (text, values) => pool.query(text, values) };
  try {
    return asked.verb === "heads" ? await printHeads(db, asked) : await verify(db, asked, saved);
  } finally {
    await pool.close(0);
  }
}

/** Disables nested loops in the planner, because the verification reads whole periods with one statement each. */
const SETTINGS = { application_name: "audit", TimeZone: "UTC", enable_nestloop: "off" };

async function printHeads(db: Queryable, { chain }: Arguments): Promise<number> {
  for (const { sealedAt, ...head } of await seals.listHeads.run({ chain }, db))
    console.log(
      [nameOf(head.chain), head.number, head.digest, head.position, sealedAt.toISOString()].join(" "),
    );
  return 0;
}

async function verify(db: Queryable, { chain }: Arguments, saved: SavedHead[]): Promise<number> {
  let found = 0;
  const report = ({ what, chain, eventId, detail }: Finding) => {
    found += 1;
    console.log(`${what}: ${eventId === null ? "" : `event ${eventId} `}${detail} (${nameOf(chain)})`);
  };
  const { config } = readSection(auditConfig, process.env);
  const retentionMonths = config?.auditRetentionMonths ?? null;
  const ofChain = saved.filter((head) => chain === null || head.chain === chain);
  const result = await verifyChains(db, { chain, retentionMonths, saved: ofChain }, report);
  const { chains, batches, events, dropped, droppedUntil, unsealed, oldest } = result;
  console.log(`${events} events in ${batches} batches of ${chains} chains`);
  if (dropped > 0)
    console.log(`${dropped} of them dropped by retention, up to ${droppedUntil?.toISOString()}`);
  if (unsealed > 0) console.log(`${unsealed} not sealed yet, the oldest of ${oldest?.toISOString()}`);
  if (saved.length > 0) console.log(`${ofChain.length} saved heads compared`);
  console.log(found === 0 ? "nothing was changed, removed or inserted" : `${found} problems`);
  return found === 0 ? 0 : 1;
}

/** Parses the arguments of the command. @throws Error with the usage text if they do not match it */
function argumentsOf([verb, ...options]: string[]): Arguments {
  if (verb !== "verify" && verb !== "heads") throw new Error(USAGE);
  const asked: Arguments = { verb, chain: null, heads: null };
  for (let rest = options; rest.length > 0; ) {
    const [option, value] = rest;
    const isId = z.guid().safeParse(value).success;
    if (option === "--platform" && asked.chain === null) asked.chain = chainOf(null);
    else if (option === "--organization" && isId && asked.chain === null)
      asked.chain = String(value).toLowerCase();
    else if (option === "--heads" && verb === "verify" && value !== undefined) asked.heads = value;
    else throw new Error(USAGE);
    rest = rest.slice(option === "--platform" ? 1 : 2);
  }
  return asked;
}

const PLATFORM = "platform";
const nameOf = (chain: string): string => organizationOf(chain) ?? PLATFORM;
const HEAD = /^(platform|[0-9a-f-]{36}) (\d{1,9}) ([0-9a-f]{64})( |$)/;

/**
 * Reads chain heads that the command printed earlier.
 * @throws Error if the file cannot be read, or has other content
 */
async function savedHeads(path: string | null): Promise<SavedHead[]> {
  if (path === null) return [];
  const text = await Bun.file(path)
    .text()
    .catch(() => null);
  if (text === null) throw new Error(`${path} cannot be read`);
  const heads: SavedHead[] = [];
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue;
    const [, name = "", number, digest = ""] = HEAD.exec(line) ?? [];
    if (number === undefined) throw new Error(`${path} is not a file of "bun run audit heads"`);
    heads.push({ chain: chainOf(name === PLATFORM ? null : name), number: Number(number), digest });
  }
  return heads;
}
