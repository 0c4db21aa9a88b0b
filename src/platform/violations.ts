/** One thing that is wrong with a request; `path` is dotted, with array indexes. */
export type Violation = { path: string; message: string };

const MAX_NAMED = 50;
/** With what an error says beside them, an answer stays under 16 KB. */
const MAX_BYTES = 14 * 1024;
const MAX_OF_A_NAME = 64;

/** What is wrong with a request: each thing once, and no more than one answer names. */
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

  /** Whether more is wrong than one answer names, so that nothing is left to be looked for. */
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

/** The message stands in an answer twice: by itself, and joined with the others. */
function sizeInAnswer(violation: Violation): number {
  return Buffer.byteLength(JSON.stringify(violation)) + Buffer.byteLength(JSON.stringify(violation.message));
}

/** A name that a request made up, as far as an answer repeats it: its first 64 characters. */
export function clipped(name: string): string {
  if (name.length <= MAX_OF_A_NAME) return name;
  // A character is one or two UTF-16 units.
  return [...name.slice(0, 2 * MAX_OF_A_NAME)].slice(0, MAX_OF_A_NAME).join("");
}
