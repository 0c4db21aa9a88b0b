import type { Argon2Cost } from "./argon2.ts";

/** A parsed password hash: cost, salt and tag. */
export interface StoredHash {
  readonly cost: Argon2Cost;
  readonly salt: Uint8Array;
  readonly tag: Uint8Array;
}

/**
 * Returns the argon2id string of a hash, `$argon2id$v=19$m=…,t=…,p=…$salt$tag`, both in base64 without padding.
 * Source: the PHC string format (https://github.com/P-H-C/phc-string-format).
 */
export function formatHash({ cost, salt, tag }: StoredHash): string {
  const { memoryKiB, passes, lanes } = cost;
  return `$argon2id$v=19$m=${memoryKiB},t=${passes},p=${lanes}$${toBase64(salt)}$${toBase64(tag)}`;
}

/** Parses a string of `formatHash`. Returns null for any other string, and for a cost outside of the bounds. */
export function parseHash(text: string): StoredHash | null {
  const [, m, t, p, saltText, tagText] = pattern.exec(text) ?? [];
  if (!m || !t || !p || !saltText || !tagText) return null;

  const cost = { memoryKiB: Number(m), passes: Number(t), lanes: Number(p) };
  const salt = fromBase64(saltText);
  const tag = fromBase64(tagText);
  if (!salt || !tag || !isSane(cost, salt, tag)) return null;
  return { cost, salt, tag };
}

const pattern =
  /^\$argon2id\$v=19\$m=([1-9]\d{0,6}),t=([1-9]\d?),p=([1-9]\d?)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/**
 * Whether a stored hash is within bounds. The bounds prevent a damaged row from requesting the memory or time of a
 * thousand sign-ins, and from having a tag so short that many passwords match. argon2 needs at least eight blocks
 * per lane (RFC 9106).
 */
function isSane({ memoryKiB, passes, lanes }: Argon2Cost, salt: Uint8Array, tag: Uint8Array): boolean {
  return (
    memoryKiB >= 8 * lanes &&
    memoryKiB <= 262_144 &&
    passes <= 16 &&
    lanes <= 16 &&
    salt.length >= 8 &&
    salt.length <= 64 &&
    tag.length >= 16 &&
    tag.length <= 64
  );
}

function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes)).replace(/=+$/, "");
}

/** Decodes base64 without padding. Returns null for an impossible length, and for unused bits after the last byte. */
function fromBase64(text: string): Uint8Array | null {
  if (text.length % 4 === 1) return null;
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  return toBase64(bytes) === text ? bytes : null;
}
