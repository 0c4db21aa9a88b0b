import { expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import type { Caller } from "../../support/caller.ts";
import { type Instance, until } from "../../support/cluster.ts";
import { announceMany, write } from "../../support/notifications.ts";
import { race } from "../../support/race.ts";
import { request } from "../../support/raw.ts";
import { startService } from "../../support/service.ts";
import { Stream } from "../../support/stream.ts";

/* Misbehaving clients: one that opens a stream and does not read, and one that disappears. */
const t = await startService();

const MAX_STREAMS = 10;
const MEGABYTE = 1024 * 1024;
const A_ROUND = 500;
/** Notifications add up to 18 MB per stream; the kernel buffers about 4 MB of it. */
const ROUNDS = 500;
/** If the instance buffered the unread data of nine clients, it would grow by more than 120 MB. */
const MAX_GROWTH_MEGABYTES = 80;

async function ownInstance(): Promise<Instance> {
  const [instance] = await t.cluster(1);
  if (instance === undefined) throw new Error("No instance");
  return instance;
}

/** Opens a stream over a raw socket, reads the beginning of the response, then pauses the socket. */
async function openUnread(person: Caller, url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  const headers = { Authorization: `Bearer ${person.accessToken}` };
  socket.write(request("GET /api/notifications/stream", headers));
  const head = await new Promise<Buffer>((received) => socket.once("data", received));
  socket.pause();
  expect(head.toString()).toStartWith("HTTP/1.1 200 ");
  return socket;
}

/** Opens more streams than allowed; returns how many a user got, and closes them. */
async function freeSlots(person: Caller): Promise<number> {
  const streams = await race(MAX_STREAMS + 2, () => Stream.open(person));
  for (const stream of streams) stream.close();
  return streams.filter(({ response }) => response.status === 200).length;
}
const untilFree = (person: Caller, count: number) =>
  until(async () => ((await freeSlots(person)) === count ? true : null));

async function residentMegabytes(pid: number): Promise<number> {
  const text = await new Response(Bun.spawn(["ps", "-o", "rss=", "-p", String(pid)]).stdout).text();
  return (Number(text) * 1024) / MEGABYTE;
}

/**
 * Sends a user rounds of notifications. Each round begins after the previous one has arrived completely on a stream of
 * that user whose client reads.
 */
async function sendRounds(
  { person, reads }: { person: Caller; reads: Stream },
  rounds: number,
  after: (round: number) => Promise<void> = async () => {},
) {
  let looked = 0;
  let received = 0;
  for (let round = 1; round <= rounds; round += 1) {
    await announceMany(t, person, A_ROUND);
    await until(() => {
      for (; looked < reads.events.length; looked += 1)
        if (reads.events[looked]?.event === "notification") received += 1;
      return received === round * A_ROUND ? true : null;
    });
    await after(round);
  }
}

/**
 * Returns the instance's output that is no log line of level info, such as runtime errors. The warning "not ready" while
 * it starts is omitted.
 */
const complaints = (instance: Instance) =>
  instance.log().filter((line) => line !== "" && !/^\{"level":"info",|"msg":"not ready"/.test(line));

test("clients that stop reading are disconnected, free their slots, use no memory, and do not block other clients", async () => {
  const instance = await ownInstance();
  const person = (await t.person()).at(instance.url);
  const other = (await t.person()).at(instance.url);
  const unread = await race(MAX_STREAMS - 1, () => openUnread(person, instance.url));
  const reads = await Stream.open(person);
  const readsToo = await Stream.open(other);
  for (const stream of [reads, readsToo]) await stream.untilCount(1);
  const before = await residentMegabytes(instance.pid);
  let peak = before;
  await sendRounds({ person, reads }, ROUNDS, async (round) => {
    if (round % 50 !== 0) return;
    await write(t, other);
    await readsToo.untilCount(1 + round / 50);
    peak = Math.max(peak, await residentMegabytes(instance.pid));
  });
  expect(peak - before).toBeLessThan(MAX_GROWTH_MEGABYTES);
  expect([reads.isOver, readsToo.isOver]).toEqual([false, false]);
  await untilFree(person, MAX_STREAMS - 1);

  // A client that reads again finds that the stream has ended, instead of a stream with missing events.
  const ends = unread.map((socket) => new Promise<void>((ended) => socket.once("close", () => ended())));
  for (const socket of unread) socket.resume();
  await Promise.all(ends);
  expect(complaints(instance)).toEqual([]);
  for (const stream of [reads, readsToo]) stream.close();
});

test("an instance exits within 10 s even if clients of its streams have stopped reading", async () => {
  const instance = await ownInstance();
  const person = (await t.person()).at(instance.url);
  const unread = await race(5, () => openUnread(person, instance.url));
  const reads = await Stream.open(person);
  await reads.untilCount(1);
  await sendRounds({ person, reads }, 150);
  const started = performance.now();
  await instance.stop();
  // The service exits within 9.5 s; the rest is for a busy machine.
  expect(performance.now() - started).toBeLessThan(30_000);
  await reads.untilOver();
  expect(reads.isAborted).toBe(false);
  for (const socket of unread) socket.destroy();
  expect(complaints(instance)).toEqual([]);
});

/** The instance of the tests below, which harm no other clients. */
const instance = await ownInstance();

test("clients that disappear free their slots without a runtime error", async () => {
  for (let round = 0; round < 5; round += 1) {
    const person = (await t.person()).at(instance.url);
    const gone = await race(MAX_STREAMS, async (index) => {
      const socket = await openUnread(person, instance.url);
      // Every second client reads. Below, half of them close the connection, and half reset it.
      if (index % 2 === 0) socket.on("data", () => {}).resume();
      return socket;
    });
    expect(await freeSlots(person)).toBe(0);
    // The clients disappear while the instance is sending.
    const sent = announceMany(t, person, 300);
    for (const [index, socket] of gone.entries()) {
      if (index % 4 < 2) socket.destroy();
      else socket.resetAndDestroy();
    }
    await sent;
    await untilFree(person, MAX_STREAMS);
  }
  expect(complaints(instance)).toEqual([]);
});

test("after a process was killed, its streams no longer count against their users' limits", async () => {
  const person = (await t.person()).at(instance.url);
  const open = `const headers = { authorization: "Bearer " + process.env.TOKEN };
    const url = "${instance.url}/api/notifications/stream";
    const kept = await Promise.all(Array.from({ length: ${MAX_STREAMS} }, () => fetch(url, { headers })));
    console.log("open");
    await Bun.sleep(60_000);
    console.log(kept);`;
  const reader = Bun.spawn(["bun", "-e", open], {
    env: { PATH: process.env.PATH, TOKEN: person.accessToken ?? "" },
    stdout: "pipe",
  });
  await reader.stdout.getReader().read();
  expect(await freeSlots(person)).toBe(0);
  reader.kill("SIGKILL");
  await reader.exited;
  await untilFree(person, MAX_STREAMS);
  expect(complaints(instance)).toEqual([]);
});

test("a client that reads fast receives all events of a burst of 1,000 notifications", async () => {
  const person = (await t.person()).at(instance.url);
  const stream = await Stream.open(person);
  await stream.untilCount(1);
  await announceMany(t, person, 1_000);
  await until(() => (stream.isOver || stream.dataOf("notification").length === 1_000 ? true : null));
  expect(stream.isOver).toBe(false);
  expect(stream.dataOf("notification")).toHaveLength(1_000);
  stream.close();
});
