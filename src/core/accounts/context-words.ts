import type { Config } from "../config.ts";

/** The data about the owner of a password that the password must not consist of. */
export type PasswordOwner = { email: string; firstName: string; lastName: string };

const MIN_LETTERS = 3;
/** Placeholders in names and addresses. They are no real names, so a password may contain them. */
const PLACEHOLDERS = new Set([
  "admin",
  "app",
  "demo",
  "example",
  "member",
  "owner",
  "sample",
  "service",
  "test",
  "tester",
  "user",
]);

/**
 * Whether a password has no letters except the names of its owner and of the service. Such a password is among the
 * first guesses (NIST SP 800-63B, "context-specific words"). Names are first and last name, both sides of the email
 * address, the host of APP_URL, and the sender of mails. Digits, spaces and punctuation between them do not count.
 * Placeholders such as "user" are not names.
 */
export function consistsOfContextWords(password: string, owner: PasswordOwner, config: Config): boolean {
  const [local = "", domain = ""] = owner.email.split("@");
  const sender = config.mail.from.includes("<") ? config.mail.from.replace(/<.*/, "") : "";
  const words = [
    letters(local),
    ...[owner.firstName, owner.lastName, sender].flatMap((name) => [letters(name), ...wordsOf(name)]),
    ...[domain, new URL(config.appUrl).hostname].flatMap((host) => wordsOf(host.replace(/\.[^.]*$/, ""))),
  ];
  const used = [...new Set(words)].filter((word) => word.length >= MIN_LETTERS && !PLACEHOLDERS.has(word));
  return isSequenceOf(used, letters(password));
}

const PUNCTUATION = /[\d\s\p{P}$+<=>^`|~]+/gu;

/**
 * Normalizes a text for comparison. A final sigma is replaced by the usual one, because in joined names it can be
 * in the middle of a word.
 */
const folded = (text: string) =>
  text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase().replaceAll("ς", "σ");
const letters = (text: string) => folded(text).replaceAll(PUNCTUATION, "");
const wordsOf = (text: string) => folded(text).split(PUNCTUATION);

/** Does not use a regular expression, because overlapping words would make it take exponential time. */
function isSequenceOf(words: string[], text: string): boolean {
  const endsAt = new Set([0]);
  for (let start = 0; start < text.length; start += 1)
    if (endsAt.has(start))
      for (const word of words) if (text.startsWith(word, start)) endsAt.add(start + word.length);
  return text !== "" && endsAt.has(text.length);
}
