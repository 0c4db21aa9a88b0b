/**
 * The cleaned file while it is written. As long as it equals the beginning of the original, nothing is copied, so
 * that a file without metadata costs no memory. Memory depends on the number of bytes received, never on a size in
 * a header.
 */
export class Output {
  readonly #original: Uint8Array;
  /** The changed copy; null while the output equals the first `#length` bytes of the original. */
  #copy: Uint8Array | null = null;
  #length = 0;

  constructor(original: Uint8Array) {
    this.#original = original;
  }

  get length(): number {
    return this.#length;
  }

  /** Appends a part of the original. */
  keep(start: number, end: number): void {
    if (this.#copy === null && start === this.#length) this.#length = end;
    else this.#append(this.#original.subarray(start, end));
  }

  /** Appends bytes that are not from the original. */
  put(bytes: Uint8Array): void {
    if (this.#copy === null && this.#repeatsOriginal(bytes, this.#length)) this.#length += bytes.length;
    else this.#append(bytes);
  }

  /** Overwrites bytes that were appended before, for sizes and flags that become known later. */
  overwrite(at: number, bytes: Uint8Array): void {
    if (this.#copy === null && this.#repeatsOriginal(bytes, at)) return;
    this.#ownCopy(this.#length).set(bytes, at);
  }

  /** Returns the original itself if nothing was changed, otherwise bytes that share no memory with removed data. */
  bytes(): Uint8Array {
    if (this.#copy === null && this.#length === this.#original.length) return this.#original;
    // `slice` is not used, because on a Buffer it would share the memory.
    return new Uint8Array((this.#copy ?? this.#original).subarray(0, this.#length));
  }

  #append(bytes: Uint8Array): void {
    const end = this.#length + bytes.length;
    this.#ownCopy(end).set(bytes, this.#length);
    this.#length = end;
  }

  #ownCopy(capacity: number): Uint8Array {
    if (this.#copy !== null && capacity <= this.#copy.length) return this.#copy;
    // The copy first gets the size of the original, because cleaning hardly ever makes a file longer.
    const isEnough = capacity <= this.#original.length;
    const grown = new Uint8Array(isEnough ? this.#original.length : capacity * 2);
    grown.set(this.#copy ?? this.#original.subarray(0, this.#length));
    this.#copy = grown;
    return grown;
  }

  #repeatsOriginal(bytes: Uint8Array, at: number): boolean {
    return (
      at + bytes.length <= this.#original.length &&
      bytes.every((byte, index) => byte === this.#original[at + index])
    );
  }
}
