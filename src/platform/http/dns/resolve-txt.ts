import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { getServers } from "node:dns";
import { connect } from "node:net";
import { setTimeout } from "node:timers/promises";
import { type Answer, decodeAnswer, encodeQuestion } from "./message.ts";

/** The TXT records of a name. `absent`: there are none, for certain. `unanswered`: no server said so or otherwise. */
export type TxtRecords = { kind: "found"; values: string[] } | { kind: "absent" } | { kind: "unanswered" };

export type ResolveTxt = (name: string) => Promise<TxtRecords>;

type Server = { address: string; port: number };

/** After so long without an answer, the question is sent again, and the next server is asked too. */
const PATIENCE_MS = 1_000;
const TIMEOUT_MS = 5_000;
const MAX_ID = 0xffff;
/** A packet by TCP begins with its length in two bytes. */
const PREFIX_BYTES = 2;

/**
 * Returns a function that asks these servers, or those of the system, for TXT records. Each question takes at most five
 * seconds. The resolver of `node:dns` is not used, because Bun's does not join the strings of a record.
 */
export const txtResolver =
  (servers: Server[], timeoutMs = TIMEOUT_MS): ResolveTxt =>
  async (name) => {
    const question = encodeQuestion(randomInt(MAX_ID + 1), name);
    if (question === null) return { kind: "absent" };
    const end = new AbortController();
    const timeout = globalThis.setTimeout(() => end.abort(), timeoutMs);
    try {
      return await firstAnswer(servers.length > 0 ? servers : systemServers(), question, end.signal);
    } finally {
      clearTimeout(timeout);
      end.abort();
    }
  };

/** Asks the servers one after another: the next one if one fails, or has not answered for a second. */
async function firstAnswer(
  servers: Server[],
  question: Uint8Array,
  signal: AbortSignal,
): Promise<TxtRecords> {
  const asked: Promise<TxtRecords>[] = [];
  for (const server of servers) {
    const answer = ask(server, question, signal).then(recordsOf);
    asked.push(answer);
    const pause = setTimeout(PATIENCE_MS, UNANSWERED, { signal }).catch(() => UNANSWERED);
    const first = await Promise.race([...asked.map(orNever), answer, pause]);
    if (first.kind !== "unanswered") return first;
  }
  const all = Promise.all(asked).then(() => UNANSWERED);
  return Promise.race([...asked.map(orNever), all]);
}

const UNANSWERED: TxtRecords = { kind: "unanswered" };

function recordsOf(answer: Answer): TxtRecords {
  if (answer.kind === "records") return { kind: "found", values: answer.values };
  return answer.kind === "none" ? { kind: "absent" } : UNANSWERED;
}

/** Waits for an answer; for ever, if the server fails, because another one may still answer. */
const orNever = async (asked: Promise<TxtRecords>): Promise<TxtRecords> => {
  const answer = await asked;
  return answer.kind === "unanswered" ? new Promise(() => {}) : answer;
};

/** Asks one server: by UDP, and again by TCP if the answer does not fit. */
async function ask(server: Server, question: Uint8Array, signal: AbortSignal): Promise<Answer> {
  const answer = await askByUdp(server, question, signal);
  return answer.kind === "truncated" ? askByTcp(server, question, signal) : answer;
}

/** Packets that are no answer to the question, such as forged ones with another id, are ignored. */
function askByUdp({ address, port }: Server, question: Uint8Array, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve) => {
    const socket = createSocket(address.includes(":") ? "udp6" : "udp4");
    let resend: Timer | undefined;
    let isOver = false;
    const finish = (answer: Answer) => {
      if (isOver) return;
      isOver = true;
      clearInterval(resend);
      socket.close();
      resolve(answer);
    };
    const fail = () => finish({ kind: "failed" });
    if (signal.aborted) return fail();
    signal.addEventListener("abort", fail, { once: true });
    socket.on("error", fail);
    socket.on("message", (message) => {
      const answer = decodeAnswer(question, message);
      if (answer !== null) finish(answer);
    });
    // A connected socket receives only from this server.
    socket.connect(port, address, () => {
      if (isOver) return;
      socket.send(question);
      resend = setInterval(() => socket.send(question), PATIENCE_MS);
    });
  });
}

function askByTcp({ address, port }: Server, question: Uint8Array, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port });
    let received = Buffer.alloc(0);
    const finish = (answer: Answer) => {
      socket.destroy();
      resolve(answer);
    };
    const fail = () => finish({ kind: "failed" });
    signal.addEventListener("abort", fail, { once: true });
    socket.on("error", fail);
    socket.on("close", fail);
    socket.on("connect", () => {
      const prefix = Buffer.alloc(PREFIX_BYTES);
      prefix.writeUInt16BE(question.length);
      socket.write(Buffer.concat([prefix, question]));
    });
    socket.on("data", (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < PREFIX_BYTES) return;
      const end = PREFIX_BYTES + received.readUInt16BE(0);
      if (received.length < end) return;
      const answer = decodeAnswer(question, received.subarray(PREFIX_BYTES, end));
      if (answer === null || answer.kind === "truncated") fail();
      else finish(answer);
    });
  });
}

/** Returns the servers of the system, which may have a port: `192.0.2.1`, `192.0.2.1:5353`, `[2001:db8::1]:5353`. */
const systemServers = (): Server[] =>
  getServers().map((text) => {
    const [, inBrackets, beforePort, port] = /^(?:\[([^\]]+)\]|([\d.]+)):(\d+)$/.exec(text) ?? [];
    return { address: inBrackets ?? beforePort ?? text, port: Number(port ?? 53) };
  });
