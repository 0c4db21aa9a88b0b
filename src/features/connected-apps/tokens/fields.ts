import { unsupportedMediaType } from "#kit/inside";
import { oauthError } from "./errors.ts";

const FORM_TYPE = /^\s*application\/x-www-form-urlencoded\s*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?;?\s*$/i;
const NOT_ENCODED = /^\s*(?:identity)?\s*$/i;
const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** @throws unsupportedMediaType unless the body is announced as the fields of a form */
export function assertForm(headers: Headers): void {
  const isForm = FORM_TYPE.test(headers.get("content-type") ?? "");
  if (!isForm || !NOT_ENCODED.test(headers.get("content-encoding") ?? "")) throw unsupportedMediaType();
}

/** The parameters that the routes know. An app may send `resource` more than once (RFC 8707). */
const NAMES = [
  ...["grant_type", "client_id", "client_secret", "code", "code_verifier", "redirect_uri"],
  ...["refresh_token", "scope", "token"],
] as const;
type Name = (typeof NAMES)[number];
const KNOWN: ReadonlySet<string> = new Set([...NAMES, "resource"]);

/** The parameters of a request. */
export class Fields {
  private readonly values: ReadonlyMap<string, string[]>;

  /** @throws invalid_request for a malformed body and for a repeated parameter; those without a value count as absent (RFC 6749, 3.2) */
  constructor(body: Uint8Array) {
    this.values = read(body);
    if (NAMES.some((name) => (this.values.get(name)?.length ?? 0) > 1)) throw oauthError("invalid_request");
  }

  get resources(): string[] {
    return this.values.get("resource") ?? [];
  }

  get(name: Name): string | null {
    return this.values.get(name)?.[0] ?? null;
  }

  /** @throws invalid_request if the parameter is absent, or not of this form */
  need(name: Name, form = /^/): string {
    const value = this.get(name);
    if (value === null || !form.test(value)) throw oauthError("invalid_request");
    return value;
  }
}

function read(body: Uint8Array): Map<string, string[]> {
  const values = new Map<string, string[]>();
  try {
    for (const pair of UTF8.decode(body).split("&")) {
      const equals = pair.indexOf("=");
      const name = decode(equals < 0 ? pair : pair.slice(0, equals));
      const value = equals < 0 ? "" : decode(pair.slice(equals + 1));
      if (value !== "" && KNOWN.has(name)) values.set(name, [...(values.get(name) ?? []), value]);
    }
  } catch {
    throw oauthError("invalid_request");
  }
  return values;
}

/** @throws if the text is no UTF-8 or has a NUL, which no parameter may have */
function decode(text: string): string {
  const decoded = decodeURIComponent(text.replaceAll("+", " "));
  if (decoded.includes("\0")) throw new Error("NUL");
  return decoded;
}
