const CODES = { NXDOMAIN: 3, SERVFAIL: 2, REFUSED: 5 } as const;

/**
 * What the server answers for a name:
 * - `records`: TXT records, each with its strings, after a CNAME if there is an alias
 * - `code`: `NXDOMAIN`, `SERVFAIL`, `REFUSED`
 * - `silent`: nothing
 * - `raw`: these bytes, made of the question
 */
export type DnsAnswer = (
  | { records: string[][]; alias?: string }
  | { code: keyof typeof CODES }
  | { silent: true }
  | { raw: (question: Uint8Array) => Uint8Array }
) & {
  delayMs?: number;
  /** By UDP the answer says that it is too long. */
  truncated?: boolean;
};

type Encodable = Extract<DnsAnswer, { records: unknown } | { code: unknown }>;

const IS_RESPONSE = 0x8180;
const IS_TRUNCATED = 0x0200;
const TXT = 16;
const CNAME = 5;
/** A compressed name: that of the question, which begins after the header. */
const SAME_NAME = Buffer.from([0xc0, 12]);

/** Encodes the answer to a question of one name. */
export function encodeAnswer(question: Buffer, answer: Encodable, isTruncated: boolean): Buffer {
  const records = "records" in answer && !isTruncated ? answer.records : [];
  const alias = "records" in answer && !isTruncated ? answer.alias : undefined;
  const owner = alias === undefined ? SAME_NAME : encodeName(alias);
  const flags = IS_RESPONSE | ("code" in answer ? CODES[answer.code] : 0) | (isTruncated ? IS_TRUNCATED : 0);
  const header = Buffer.alloc(12);
  question.copy(header, 0, 0, 2);
  [flags, 1, records.length + (alias === undefined ? 0 : 1), 0, 0].forEach((value, index) => {
    header.writeUInt16BE(value, 2 + index * 2);
  });
  return Buffer.concat([
    header,
    question.subarray(12, question.indexOf(0, 12) + 5),
    ...(alias === undefined ? [] : [record(SAME_NAME, CNAME, encodeName(alias))]),
    ...records.map((strings) => record(owner, TXT, encodeStrings(strings))),
  ]);
}

function record(owner: Buffer, type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(10);
  head.writeUInt16BE(type, 0);
  head.writeUInt16BE(1, 2);
  head.writeUInt32BE(60, 4);
  head.writeUInt16BE(data.length, 8);
  return Buffer.concat([owner, head, data]);
}

const withLength = (text: string) => Buffer.concat([Buffer.from([text.length]), Buffer.from(text, "latin1")]);
const encodeStrings = (strings: string[]) => Buffer.concat(strings.map(withLength));
const encodeName = (name: string) => Buffer.concat([...name.split(".").map(withLength), Buffer.from([0])]);
