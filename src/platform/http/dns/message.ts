/*
 * DNS messages (RFC 1035, 4), as far as a question for TXT records needs them. Answers are hostile input: every length is
 * checked, and compressed names are skipped and never followed, so nothing loops.
 */

/** What a server answered; `failed`: it could not, or would not. */
export type Answer =
  | { kind: "records"; values: string[] }
  | { kind: "none" }
  | { kind: "truncated" }
  | { kind: "failed" };

const TXT = 16;
const OPT = 41;
const INTERNET = 1;
const HEADER_BYTES = 12;
const MAX_LABEL = 63;
const MAX_NAME = 255;
/** The size of an answer by UDP that no network splits (DNS flag day 2020). */
const UDP_BYTES = 1_232;

const IS_RESPONSE = 0x8000;
const IS_TRUNCATED = 0x0200;
const RECURSION_DESIRED = 0x0100;
const OPCODE = 0x7800;
const RCODE = 0x000f;
const NO_ERROR = 0;
const NO_SUCH_NAME = 3;
/** The upper bits of the first byte of a compressed name. */
const POINTER = 0xc0;

/** Encodes a question for TXT records; returns null if the name is too long for DNS. */
export function encodeQuestion(id: number, name: string): Uint8Array | null {
  const labels = name.split(".").map((label) => Buffer.from(label, "latin1"));
  const size = labels.reduce((sum, { length }) => sum + length + 1, 1);
  if (size > MAX_NAME || labels.some(({ length }) => length < 1 || length > MAX_LABEL)) return null;
  const header = Buffer.alloc(HEADER_BYTES);
  [id, RECURSION_DESIRED, 1, 0, 0, 1].forEach((value, index) => {
    header.writeUInt16BE(value, index * 2);
  });
  const parts = labels.flatMap((label) => [Buffer.from([label.length]), label]);
  const question = Buffer.from([0, 0, TXT, 0, INTERNET]);
  // The size of answers by UDP (EDNS, RFC 6891).
  const options = Buffer.alloc(11);
  options.writeUInt16BE(OPT, 1);
  options.writeUInt16BE(UDP_BYTES, 3);
  return Buffer.concat([header, ...parts, question, options]);
}

/**
 * Decodes the answer to a question that `encodeQuestion` has made. Returns null if it is malformed, or answers another
 * question.
 */
export function decodeAnswer(question: Uint8Array, message: Uint8Array): Answer | null {
  const asked = Buffer.from(question.buffer, question.byteOffset, question.byteLength);
  const bytes = Buffer.from(message.buffer, message.byteOffset, message.byteLength);
  if (bytes.length < HEADER_BYTES || bytes.readUInt16BE(0) !== asked.readUInt16BE(0)) return null;
  const flags = bytes.readUInt16BE(2);
  if ((flags & IS_RESPONSE) === 0 || (flags & OPCODE) !== 0) return null;
  const code = flags & RCODE;
  if (code !== NO_ERROR && code !== NO_SUCH_NAME) return { kind: "failed" };
  const start = endOfQuestion(asked, bytes);
  if (start === null) return null;
  if ((flags & IS_TRUNCATED) !== 0) return { kind: "truncated" };
  if (code === NO_SUCH_NAME) return { kind: "none" };
  const values = readValues(bytes, start);
  if (values === null) return null;
  return values.length === 0 ? { kind: "none" } : { kind: "records", values };
}

/** Returns where the answers begin, or null if the question of the answer is not the one that was asked. */
function endOfQuestion(asked: Buffer, bytes: Buffer): number | null {
  const nameEnd = skipName(asked, HEADER_BYTES);
  if (nameEnd === null || bytes.readUInt16BE(4) !== 1) return null;
  const end = nameEnd + 4;
  const textOf = (one: Buffer) => one.toString("latin1", HEADER_BYTES, end).toLowerCase();
  return bytes.length >= end && textOf(bytes) === textOf(asked) ? end : null;
}

/** Returns the value of each TXT record: its strings joined. Null if the message is malformed. */
function readValues(bytes: Buffer, start: number): string[] | null {
  const values: string[] = [];
  let at = start;
  for (let left = bytes.readUInt16BE(6); left > 0; left -= 1) {
    const head = skipName(bytes, at);
    if (head === null || head + 10 > bytes.length) return null;
    const end = head + 10 + bytes.readUInt16BE(head + 8);
    if (end > bytes.length) return null;
    if (bytes.readUInt16BE(head) === TXT && bytes.readUInt16BE(head + 2) === INTERNET) {
      const value = joinStrings(bytes.subarray(head + 10, end));
      if (value === null) return null;
      values.push(value);
    }
    at = end;
  }
  return values;
}

function joinStrings(data: Buffer): string | null {
  const parts: string[] = [];
  for (let at = 0; at < data.length; ) {
    const end = at + 1 + (data[at] ?? 0);
    if (end > data.length) return null;
    parts.push(data.toString("latin1", at + 1, end));
    at = end;
  }
  return parts.join("");
}

/** Returns where a name ends that begins at `at`; null if it is malformed. */
function skipName(bytes: Buffer, at: number): number | null {
  for (let next = at; next < bytes.length; ) {
    const length = bytes[next] ?? 0;
    if (length === 0) return next + 1;
    if ((length & POINTER) === POINTER) return next + 2 <= bytes.length ? next + 2 : null;
    if (length > MAX_LABEL || next + 1 + length - at > MAX_NAME) return null;
    next += 1 + length;
  }
  return null;
}
