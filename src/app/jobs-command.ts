import pg from "pg";
import { z } from "zod";
import {
  deleteFailedJobs,
  type FailedJobSummary,
  listFailedJobs,
  retryFailedJobs,
  type Selection,
} from "../platform/jobs/failed-jobs.ts";
import { needed } from "./command.ts";
import { readDatabaseConfig } from "./config.ts";
import { jobKinds } from "./jobs.ts";

const USAGE = `Usage: bun run jobs list [<queue>]
       bun run jobs retry <id>... | <queue> | --all
       bun run jobs delete <id>... | <queue> | --all

Applies to jobs that have failed, which are kept for 7 days, or that wait for a retry.
Queues: ${jobKinds.map(({ queue }) => queue).join(", ")}`;

/** Runs `bun run jobs` with its arguments. @throws Error with the usage text for others */
export async function runJobsCommand([verb, ...given]: string[]): Promise<void> {
  const selection = selectionOf(given);
  const needsSelection = verb === "retry" || verb === "delete";
  if (selection === null || (verb !== "list" && !needsSelection) || (needsSelection && given.length === 0))
    throw new Error(USAGE);
  const { url } = needed(readDatabaseConfig(process.env));
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    if (verb === "retry") console.log(`${await retryFailedJobs(client, selection)} will run now`);
    else if (verb === "delete") console.log(`${await deleteFailedJobs(client, selection)} deleted`);
    else for (const job of await listFailedJobs(client, selection)) console.log(formatJob(job));
  } finally {
    await client.end();
  }
}

/** Parses the selection of jobs. Returns null for arguments other than ids, a queue, or `--all`. */
function selectionOf(given: string[]): Selection | null {
  const [first, ...more] = given;
  if (first === undefined || (first === "--all" && more.length === 0)) return { ids: null, queue: null };
  if (given.every((id) => z.guid().safeParse(id).success)) return { ids: given, queue: null };
  const isQueue = more.length === 0 && jobKinds.some(({ queue }) => queue === first);
  return isQueue ? { ids: null, queue: first } : null;
}

function formatJob({ id, queue, label, state, attempts, queuedAt, nextAt, error }: FailedJobSummary): string {
  const when = nextAt === null ? state : `again at ${nextAt.toISOString()}`;
  const what = [queue, label].filter(Boolean).join(" ");
  return `${id}  ${what}  queued ${queuedAt.toISOString()}  ${attempts} attempts  ${when}  ${error ?? ""}`.trimEnd();
}
