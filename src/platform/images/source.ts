import { MalformedImage } from "./refusals.ts";

/**
 * Reads numbers and names in the byte order of the file's format. A read past the end means that the file is
 * truncated.
 */
export class Source {
  readonly #view: DataView;

  constructor(readonly bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get length(): number {
    return this.bytes.length;
  }

  /** Checks that the file has at least `end` bytes. @throws MalformedImage */
  reachTo(end: number): void {
    if (end > this.bytes.length) throw new MalformedImage("it ends too early");
  }

  byte(at: number): number {
    this.reachTo(at + 1);
    return this.#view.getUint8(at);
  }

  uint16(at: number, isLittleEndian = false): number {
    this.reachTo(at + 2);
    return this.#view.getUint16(at, isLittleEndian);
  }

  uint24LittleEndian(at: number): number {
    return this.uint16(at, true) + this.byte(at + 2) * 0x10000;
  }

  uint32(at: number, isLittleEndian = false): number {
    this.reachTo(at + 4);
    return this.#view.getUint32(at, isLittleEndian);
  }

  /** Returns bytes as Latin-1 characters. */
  text(at: number, length: number): string {
    this.reachTo(at + length);
    let text = "";
    for (let index = at; index < at + length; index += 1)
      text += String.fromCharCode(this.#view.getUint8(index));
    return text;
  }

  /** Whether these characters are at this position; false also past the end. */
  has(at: number, text: string): boolean {
    if (at + text.length > this.bytes.length) return false;
    for (let index = 0; index < text.length; index += 1) {
      if (this.#view.getUint8(at + index) !== text.charCodeAt(index)) return false;
    }
    return true;
  }
}
