import { withoutControl } from "#kit";

const MAX_CHARACTERS = 100;
/** Quotes and line breaks, in the escaped form that browsers use in multipart forms. */
const ESCAPED_BY_BROWSERS = /%22|%0[ad]/gi;
const QUOTES = /["'`“”„‟‘’‚‛«»‹›]/gu;

/**
 * Returns a name for displaying and saving an image (rules 21.6): the uploaded file's name without its path, without
 * control and bidirectional characters and quotes (terminal escapes, spoofed extensions, header injection), and with
 * the extension of the detected type.
 */
export function safeFileName(sent: string, extension: string): string {
  const name = sent.toWellFormed().replace(ESCAPED_BY_BROWSERS, "").split(/[/\\]/).at(-1) ?? "";
  const visible = withoutControl(name).replace(QUOTES, "").trim();
  const base = visible.replace(/\.[^.]*$/u, "").replace(/^\.+/u, "");
  const maxLength = MAX_CHARACTERS - extension.length - 1;
  return `${[...base].slice(0, maxLength).join("").trim() || "image"}.${extension}`;
}

/** Returns the header that makes a browser save a file under its name (RFC 6266, RFC 8187). */
export function contentDisposition(fileName: string): string {
  const ascii = fileName.replace(/[^\x20-\x7e]|["\\%;]/gu, "_");
  const encoded = encodeURIComponent(fileName).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
