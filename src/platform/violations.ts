import type { z } from "zod";

/** One violation of a request's schema. `path` is the field's path with dots, and with indexes for arrays. */
export type Violation = { path: string; message: string };

const MAX_NAMED = 50;
/** The maximum total size of the listed violations; an error response then stays under 16 KB. */
const MAX_BYTES = 14 * 1024;
const MAX_OF_A_NAME = 64;

/** The violations of a request, without duplicates and up to the limits of one response. */
export class Violations {
  private readonly byText = new Map<string, Violation>();
  private bytes = 0;
  /** Whether the limits of one response are reached, so that checking can stop. */
  isFull = false;

  constructor(violations: Violation[] = []) {
    for (const { path, message } of violations) this.add(path, message);
  }

  /** Adds a violation; does nothing once the limits are reached. */
  add(path: string, message: string): void {
    if (this.isFull) return;
    const text = `${path} ${message}`;
    if (this.byText.has(text)) return;
    const violation = { path, message };
    this.bytes += sizeInResponse(violation);
    if (this.byText.size > 0 && (this.byText.size === MAX_NAMED || this.bytes > MAX_BYTES))
      this.isFull = true;
    else this.byText.set(text, violation);
  }

  get size(): number {
    return this.byText.size;
  }

  get named(): Violation[] {
    return [...this.byText.values()];
  }
}

/**
 * Returns the size of a violation in a response, where its message occurs twice: separately, and joined with the
 * others.
 */
function sizeInResponse(violation: Violation): number {
  return Buffer.byteLength(JSON.stringify(violation)) + Buffer.byteLength(JSON.stringify(violation.message));
}

/** Returns the first 64 characters of a name that the client chose, because a response must not repeat more of it. */
export function truncated(name: string): string {
  if (name.length <= MAX_OF_A_NAME) return name;
  // A character has one or two UTF-16 units.
  return [...name.slice(0, 2 * MAX_OF_A_NAME)].slice(0, MAX_OF_A_NAME).join("");
}

/**
 * Yields one short sentence per violation (rules 2.3). The input must have been parsed with `reportInput`, which
 * distinguishes a missing value from a wrong one. A generator, because there may be more violations than a response
 * lists.
 */
export function* violations(issues: z.core.$ZodIssue[]): Generator<Violation> {
  for (const issue of issues) {
    const path = issue.path.map((part) => truncated(String(part))).join(".");
    if (issue.code === "unrecognized_keys") yield* unknownProperties(path, issue.keys);
    else yield { path, message: `${path || "body"} ${sentence(issue)}` };
  }
}

/** Returns the message about unknown properties. `path` is the path of the object that contains them. */
export function* unknownProperties(path: string, keys: string[]): Generator<Violation> {
  for (const key of keys) {
    const name = truncated(key);
    yield { path: path ? `${path}.${name}` : name, message: `property ${name} should not exist` };
  }
}

const KINDS: Record<string, string> = {
  string: "a string",
  boolean: "a boolean value",
  number: "a number",
  int: "an integer",
  array: "an array",
  object: "an object",
  record: "an object",
};

const FORMATS: Record<string, string> = {
  date: "must be a day such as 2026-01-31",
  email: "must be an email",
  uuid: "must be a UUID",
  guid: "must be a UUID",
};

/** The message of an alternative of schemas that declares none of its own. */
const UNION_WITHOUT_MESSAGE = "Invalid input";

function sentence(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? "is required" : `must be ${KINDS[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return issue.input === undefined
        ? "is required"
        : `must be one of the following values: ${issue.values.join(", ")}`;
    case "too_small":
      if (issue.origin === "array" && issue.minimum !== 1)
        return `must contain at least ${issue.minimum} elements`;
      if (issue.origin !== "string" && issue.origin !== "array")
        return `must not be less than ${issue.minimum}`;
      return issue.minimum === 1
        ? "should not be empty"
        : `must be longer than or equal to ${issue.minimum} characters`;
    case "too_big":
      if (issue.origin === "array") return `must contain no more than ${issue.maximum} elements`;
      if (issue.origin !== "string") return `must not be greater than ${issue.maximum}`;
      return `must be shorter than or equal to ${issue.maximum} characters`;
    case "invalid_format":
      return FORMATS[issue.format] ?? "is malformed";
    case "custom":
      return issue.message;
    case "invalid_union":
      return issue.message === UNION_WITHOUT_MESSAGE ? "is invalid" : issue.message;
    default:
      return "is invalid";
  }
}
