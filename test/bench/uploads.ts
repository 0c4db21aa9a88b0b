import { rm } from "node:fs/promises";
import { join } from "node:path";
import { localDirectory } from "../../src/platform/storage/local.ts";
import { Caller } from "../support/caller.ts";
import { FORM_TYPE, fields, formBytes, image, MB, pngOfSize } from "../support/forms.ts";
import { aReport, OWN } from "../support/helpdesk.ts";
import type { Service } from "../support/service.ts";
import { p99OfPings, pings } from "./latency.ts";

const UPLOADS = 10;
const MEASURE_MS = 4_000;

/**
 * How long an empty answer takes while ten people send 25 MB of images each, against an idle service: neither reading,
 * nor cleaning, nor storing may hold everybody up. A process of its own sends them, or it would hold up the pings.
 */
export async function reportUploads(t: Service, url: string): Promise<void> {
  const people = await Promise.all(Array.from({ length: UPLOADS }, () => t.person()));
  await pings(url, 1_000);
  const idle = await pings(url, MEASURE_MS);
  const sender = Bun.spawn(["bun", import.meta.path, url, ...people.map((who) => who.accessToken ?? "")], {
    stdout: "pipe",
    stderr: "inherit",
  });
  const output = sender.stdout.getReader();
  const line = async () => new TextDecoder().decode((await output.read()).value);
  // The first line: all is made, and the sending begins.
  await line();
  let sent: { seconds: number; tickets: string[] } | null = null;
  const sending = line().then((text) => {
    sent = JSON.parse(text);
  });
  const busy = await p99OfPings(url, () => sent === null);
  await sending;
  const { seconds, tickets } = sent as unknown as { seconds: number; tickets: string[] };
  console.log(
    `${UPLOADS} uploads of 25 MB, p99 of an empty answer`.padEnd(40),
    `${idle.toFixed(2)} ms idle`,
    `${busy.toFixed(2)} ms busy`,
    `${(busy / idle).toFixed(1)} times; all stored after ${seconds.toFixed(1)} s`,
  );
  const folder = join(localDirectory(t.running.app.config.storage.directory), "helpdesk");
  await Promise.all(tickets.map((id) => rm(join(folder, id), { recursive: true })));
}

/** Sends all at once. */
async function send(url: string, tokens: string[]): Promise<void> {
  const images = Array.from({ length: 5 }, () => image(pngOfSize(5 * MB)));
  const raw = formBytes([...fields(aReport() as Record<string, string>), ...images]);
  console.log("ready");
  const started = performance.now();
  const answers = await Promise.all(
    tokens.map((accessToken) =>
      Object.assign(new Caller(url), { accessToken }).post(OWN, undefined, { raw, headers: FORM_TYPE }),
    ),
  );
  const refused = answers.find(({ status }) => status !== 201);
  if (refused !== undefined) throw new Error(JSON.stringify(refused.body));
  const tickets = answers.map(({ body }) => body.id);
  console.log(JSON.stringify({ seconds: (performance.now() - started) / 1000, tickets }));
}

if (import.meta.main) await send(process.argv[2] ?? "", process.argv.slice(3));
