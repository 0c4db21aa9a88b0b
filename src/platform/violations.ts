/** One thing that is wrong with a request; `path` is dotted, with array indexes. */
export type Violation = { path: string; message: string };

const MAX_NAMED = 50;
/** Together with the rest of an error, the response stays under 16 KB. */
const MAX_BYTES = 14 * 1024;
const MAX_OF_A_NAME = 64;

/** The violations of a request, without duplicates and up to the limits of one response. */
export class Violations {
  private readonly byText = new Map<string, Violation>();
  private bytes = 0;
  private hasMore = false;

  constructor(violations: Violation[] = []) {
    for (const { path, message } of violations) this.add(path, message);
  }

  /** Passed over once there is no room for more. */
  add(path: string, message: string): void {
    if (this.hasMore) return;
    const text = `${path} ${message}`;
    if (this.byText.has(text)) return;
    const violation = { path, message };
    this.bytes += sizeInAnswer(violation);
    if (this.byText.size > 0 && (this.byText.size === MAX_NAMED || this.bytes > MAX_BYTES))
      this.hasMore = true;
    else this.byText.set(text, violation);
  }

  /** Whether the limits of one response are reached, so that checking can stop. */
  get isFull(): boolean {
    return this.hasMore;
  }

  get size(): number {
    return this.byText.size;
  }

  get named(): Violation[] {
    return [...this.byText.values()];
  }
}

/** The message appears twice in a response: by itself, and joined with the others. */
function sizeInAnswer(violation: Violation): number {
  return Buffer.byteLength(JSON.stringify(violation)) + Buffer.byteLength(JSON.stringify(violation.message));
}

/** The first 64 characters of a client-chosen name: as much as a response repeats of it. */
export function clipped(name: string): string {
  if (name.length <= MAX_OF_A_NAME) return name;
  // A character is one or two UTF-16 units.
  return [...name.slice(0, 2 * MAX_OF_A_NAME)].slice(0, MAX_OF_A_NAME).join("");
}
