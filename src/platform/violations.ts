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
  private hasMore = false;

  constructor(violations: Violation[] = []) {
    for (const { path, message } of violations) this.add(path, message);
  }

  /** Adds a violation; does nothing once the limits are reached. */
  add(path: string, message: string): void {
    if (this.hasMore) return;
    const text = `${path} ${message}`;
    if (this.byText.has(text)) return;
    const violation = { path, message };
    this.bytes += sizeInResponse(violation);
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
