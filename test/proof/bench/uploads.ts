import { Caller } from "../../support/caller.ts";
import { FORM_TYPE, fields, formBytes, image, MB, pngOfSize } from "../../support/forms.ts";
import { OWN_TICKETS, reportBody } from "../../support/helpdesk.ts";
import { HELD_NOWHERE } from "./identity.ts";
import { p99OfPings, pings } from "./latency.ts";
import { seedReaders } from "./streams.ts";
import { startBench } from "./targets.ts";

const UPLOADS = 10;
const MEASURE_MS = 4_000;

/**
 * Measures the latency of an empty response while ten users send 25 MB of images each, relative to an idle service:
 * neither reading, cleaning nor storing may block others. A separate process sends the forms; otherwise sending
 * would delay the measurement.
 */
export async function reportUploads(): Promise<void> {
  const bench = await startBench();
  try {
    const db = await bench.database("service");
    const people = await seedReaders(db, UPLOADS);
    const { url } = await bench.start("service", db.url);
    const tokens = people.map((sub) => bench.sign({ ...HELD_NOWHERE, sub, sid: crypto.randomUUID() }));
    await pings(url, 1_000);
    const idle = await pings(url, MEASURE_MS);
    const sender = Bun.spawn(["bun", import.meta.path, url, ...tokens], {
      stdout: "pipe",
      stderr: "inherit",
    });
    const output = sender.stdout.getReader();
    const line = async () => new TextDecoder().decode((await output.read()).value);
    // The sending process prints its first line when it is prepared and begins to send.
    await line();
    let seconds: number | null = null;
    const sending = line().then((text) => {
      seconds = Number(text);
    });
    const busy = await p99OfPings(url, () => seconds === null);
    await sending;
    const taken = `all stored after ${Number(seconds).toFixed(1)} s`;
    console.log(`${UPLOADS} uploads of 25 MB, p99 of an empty response: ${idle.toFixed(2)} ms idle,`);
    console.log(`${busy.toFixed(2)} ms busy, ${(busy / idle).toFixed(1)} times; ${taken}`);
  } finally {
    await bench.stop();
  }
}

/** Sends a large form with images for each token, all concurrently. */
async function send(url: string, tokens: string[]): Promise<void> {
  const images = Array.from({ length: 5 }, () => image(pngOfSize(5 * MB)));
  const raw = formBytes([...fields(reportBody() as Record<string, string>), ...images]);
  console.log("ready");
  const started = performance.now();
  const responses = await Promise.all(
    tokens.map((accessToken) =>
      Object.assign(new Caller(url), { accessToken }).post(OWN_TICKETS, undefined, {
        raw,
        headers: FORM_TYPE,
      }),
    ),
  );
  const refused = responses.find(({ status }) => status !== 201);
  if (refused !== undefined) throw new Error(JSON.stringify(refused.body));
  console.log((performance.now() - started) / 1000);
}

if (import.meta.main) await send(process.argv[2] ?? "", process.argv.slice(3));
