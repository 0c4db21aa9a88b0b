import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { type DnsAnswer, encodeAnswer } from "./answer.ts";

/*
 * A DNS server for development and tests, with TXT records that are set while it runs. It listens only on the loopback
 * address, by UDP and TCP.
 */

export type DnsServer = {
  port: number;
  /** `address:port`, as `DNS_SERVERS` takes it. */
  address: string;
  /** The names that were asked for, in order. */
  asked: string[];
  /** All answers by name. Names without one do not exist. */
  answers: Map<string, DnsAnswer>;
  /** Sets the TXT records of a name, each of one string; without a value the name does not exist. */
  publish(name: string, ...values: string[]): void;
  stop(): Promise<void>;
};

const PREFIX_BYTES = 2;

/** Starts the server. @param port 0 chooses a free one */
export async function startDnsServer(port = 0): Promise<DnsServer> {
  const answers = new Map<string, DnsAnswer>();
  const asked: string[] = [];

  async function respond(question: Buffer, isByUdp: boolean): Promise<Uint8Array | null> {
    const name = nameOf(question);
    asked.push(name);
    const answer = answers.get(name) ?? { code: "NXDOMAIN" };
    if (answer.delayMs) await Bun.sleep(answer.delayMs);
    if ("silent" in answer) return null;
    if ("raw" in answer) return answer.raw(question);
    return encodeAnswer(question, answer, isByUdp && answer.truncated === true);
  }

  const openUdp = () => {
    const udp = createSocket("udp4");
    udp.on("message", async (question, from: RemoteInfo) => {
      const response = await respond(question, true);
      if (response !== null) udp.send(response, from.port, from.address);
    });
    return udp;
  };
  const tcp = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", async (chunk: Buffer) => {
      const response = await respond(chunk.subarray(PREFIX_BYTES), false);
      if (response === null) return;
      const prefix = Buffer.alloc(PREFIX_BYTES);
      prefix.writeUInt16BE(response.length);
      socket.end(Buffer.concat([prefix, response]));
    });
  });
  const { udp, chosen } = await listenOnOne(port, tcp, openUdp);

  return {
    port: chosen,
    address: `127.0.0.1:${chosen}`,
    asked,
    answers,
    publish(name, ...values) {
      if (values.length === 0) answers.delete(name);
      else answers.set(name, { records: values.map((value) => [value]) });
    },
    async stop() {
      udp.close();
      await new Promise((resolve) => tcp.close(resolve));
    },
  };
}

/** How many ports are tried: one that is free for UDP may be taken for TCP by somebody else. */
const TRIES = 20;

/** Listens by UDP and TCP on one port. @throws if the port, or each that was tried, is taken */
async function listenOnOne(port: number, tcp: Server, openUdp: () => Socket) {
  for (let left = TRIES; ; left -= 1) {
    const udp = openUdp();
    const bound = once(udp, "listening");
    udp.bind(port, "127.0.0.1");
    await bound;
    const { port: chosen } = udp.address();
    try {
      const listening = once(tcp, "listening");
      tcp.listen(chosen, "127.0.0.1");
      await listening;
      return { udp, chosen };
    } catch (error) {
      udp.close();
      if (port !== 0 || left === 1) throw error;
    }
  }
}

/** Returns the name that a question asks for. */
function nameOf(question: Buffer): string {
  const labels: string[] = [];
  for (let at = 12; ; ) {
    const length = question[at] ?? 0;
    if (length === 0) return labels.join(".").toLowerCase();
    labels.push(question.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
}
