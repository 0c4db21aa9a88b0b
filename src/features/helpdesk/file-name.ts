import { withoutControl } from "../../platform/text.ts";

const MAX_CHARACTERS = 100;
/** Quotes and line breaks, as forms carry them. */
const ESCAPED_BY_BROWSERS = /%22|%0[ad]/gi;
const QUOTES = /["'`“”„‟‘’‚‛«»‹›]/gu;

/**
 * A name to show and to save an image by (rules 21.6): that of the file it was sent as, without its path, without what
 * steers a terminal, turns the direction of a text or ends a header's value, and with the extension of what it is.
 */
export function safeFileName(sent: string, extension: string): string {
  const name = sent.toWellFormed().replace(ESCAPED_BY_BROWSERS, "").split(/[/\\]/).at(-1) ?? "";
  const visible = withoutControl(name).replace(QUOTES, "").trim();
  const base = visible.replace(/\.[^.]*$/u, "").replace(/^\.+/u, "");
  const room = MAX_CHARACTERS - extension.length - 1;
  return `${[...base].slice(0, room).join("").trim() || "image"}.${extension}`;
}

/** The header that makes a browser save a file under its name, by RFC 6266 and RFC 8187. */
export function contentDisposition(fileName: string): string {
  const ascii = fileName.replace(/[^\x20-\x7e]|["\\%;]/gu, "_");
  const encoded = encodeURIComponent(fileName).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
