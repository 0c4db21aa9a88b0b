import type { z } from "zod";
import { type Violation, violations } from "../../platform/violations.ts";
import { isObject } from "../definitions/known-parts.ts";
import { Manifest, NAMES, type NamedPart, type Product, TARGET } from "./schema.ts";

/** The names that the service itself has, which a manifest cannot have. */
export type TakenNames = Record<NamedPart | "targets", ReadonlySet<string>>;

type Checked = { product: Product; faults: null } | { product: null; faults: Violation[] };

/**
 * Checks a manifest as a whole and returns every fault at once, each with the path of its field.
 * @param content the parsed JSON
 * @param options `http`: whether the URL of the product may begin with `http:`, which production forbids
 */
export function checkManifest(content: unknown, taken: TakenNames, { http }: { http: boolean }): Checked {
  const parsed = Manifest.safeParse(content, { reportInput: true });
  const faults = [
    ...(parsed.success ? [] : violations(parsed.error.issues as z.core.$ZodIssue[])),
    ...(isObject(content) ? furtherFaults(content, taken, http) : []),
  ];
  if (faults.length > 0 || !parsed.success) return { product: null, faults };
  const { url, ...manifest } = parsed.data;
  return { product: { ...manifest, url: new URL(url).href.replace(/\/+$/, "") }, faults: null };
}

/** What the schema cannot say: names, their number, references between parts. Skips what is malformed. */
function* furtherFaults(
  manifest: Record<string, unknown>,
  taken: TakenNames,
  http: boolean,
): Generator<Violation> {
  const fault = (path: string, message: string): Violation => ({ path, message: `${path} ${message}` });
  const partOf = (name: string) => (isObject(manifest[name]) ? manifest[name] : {});
  if (typeof manifest.url === "string" && !isProductUrl(manifest.url, http))
    yield fault(
      "url",
      `must be an ${http ? "http: or https:" : "https:"} URL without query, fragment and credentials`,
    );
  if (isObject(manifest.permissions) && Object.keys(manifest.permissions).length === 0)
    yield fault("permissions", "should not be empty");

  for (const part of Object.keys(NAMES) as NamedPart[]) {
    const { pattern, max, form } = NAMES[part];
    const names = Object.keys(partOf(part));
    if (names.length > max) yield fault(part, `must contain no more than ${max} elements`);
    for (const name of names) {
      const isTaken = taken[part].has(part === "permissions" ? entityOf(name) : name) || name in {};
      if (!pattern.test(name)) yield fault(`${part}.${name}`, `must have a name of the form ${form}`);
      else if (isTaken) yield fault(`${part}.${name}`, "must not have a name of the service");
    }
  }
  for (const [action, entry] of Object.entries(partOf("audit"))) {
    const target = isObject(entry) ? entry.target : null;
    if (typeof target !== "string") continue;
    const path = `audit.${action}.target`;
    if (!TARGET.test(target)) yield fault(path, "must be 2 to 30 lower-case letters and _");
    else if (taken.targets.has(target) || target in {})
      yield fault(path, "must not be a target of the service");
  }

  const pages = Array.isArray(manifest.pages) ? manifest.pages : [];
  const references = [
    ...Object.entries(partOf("events")).map(
      ([name, entry]) => [`events.${name}`, entry, "permission"] as const,
    ),
    ...pages.map((entry, index) => [`pages.${index}`, entry, "permission"] as const),
    ...pages.map((entry, index) => [`pages.${index}`, entry, "feature"] as const),
  ];
  for (const [path, entry, field] of references) {
    const name = isObject(entry) ? entry[field] : null;
    if (typeof name === "string" && !Object.hasOwn(partOf(`${field}s`), name))
      yield fault(`${path}.${field}`, `must be one of the ${field}s of the manifest`);
  }
}

export const entityOf = (permission: string) => permission.split(".")[0] ?? "";

function isProductUrl(value: string, http: boolean): boolean {
  if (!URL.canParse(value) || /[?#\s\\]/.test(value)) return false;
  const { protocol, username, password } = new URL(value);
  return (
    (protocol === "https:" || (http && protocol === "http:")) &&
    username + password === "" &&
    value.toLowerCase().startsWith(`${protocol}//`)
  );
}
