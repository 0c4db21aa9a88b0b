/**
 * A program that attacks a service from a separate process: many clients that repeat requests without a pause, and
 * bodies that never end. Its argument is an `Attack` as JSON. It prints `started` once every client has sent a
 * request, and the number of responses per status when its standard input ends.
 */
export type Attack = {
  url: string;
  /** Raw HTTP requests that `count` clients repeat in turn. */
  lanes: { count: number; requests: string[] }[];
  /** Heads of requests; `count` connections send one with this number of body bytes and then nothing. */
  stalled: { count: number; head: string; bytes: number }[];
};

const attack: Attack = JSON.parse(process.argv[2] ?? "{}");
const { hostname, port } = new URL(attack.url);
const END_OF_HEAD = "\r\n\r\n";
const statuses: Record<string, number> = {};
let isOver = false;

/** Counts the received bytes of one connection; calls `onResponse` when a response is complete. */
function responses(onResponse: () => void) {
  let head = "";
  let left = 0;
  return (bytes: Buffer) => {
    let rest = bytes;
    if (left === 0) {
      head += rest.toString("latin1", 0, 4_096);
      const end = head.indexOf(END_OF_HEAD);
      if (end < 0) return;
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      left = length + end + END_OF_HEAD.length - (head.length - Math.min(rest.length, 4_096));
      const status = head.slice(9, 12);
      statuses[status] = (statuses[status] ?? 0) + 1;
      head = "";
    }
    left -= rest.length;
    if (left > 0) return;
    left = 0;
    rest = Buffer.alloc(0);
    onResponse();
  };
}

function open(begin: (write: (data: string | Uint8Array) => void) => void, isRepeated: boolean): void {
  if (isOver) return;
  let read: ReturnType<typeof responses>;
  const reopen = () => void setTimeout(() => open(begin, isRepeated), 100);
  Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      open(socket) {
        let pending: Uint8Array = new Uint8Array();
        const write = (data: string | Uint8Array) => {
          const bytes = typeof data === "string" ? Buffer.from(data) : data;
          pending = bytes.subarray(socket.write(bytes));
        };
        socket.data = { flush: () => write(pending) } as never;
        read = responses(() => (isRepeated ? begin(write) : socket.end()));
        begin(write);
      },
      data: (_socket, bytes) => read(bytes),
      drain: (socket) => (socket.data as never as { flush(): void }).flush(),
      close: () => void reopen(),
      error: () => {},
    },
  }).catch(reopen);
}

for (const { count, requests } of attack.lanes)
  for (let slot = 0; slot < count; slot += 1) {
    let next = slot;
    open((write) => write(requests[next++ % requests.length] as string), true);
  }
for (const { count, head, bytes } of attack.stalled) {
  const body = new Uint8Array(bytes).fill(32);
  for (let slot = 0; slot < count; slot += 1)
    open((write) => write(Buffer.concat([Buffer.from(head), body])), false);
}
console.log("started");
await Bun.stdin.text();
isOver = true;
console.log(JSON.stringify(statuses));
process.exit(0);
