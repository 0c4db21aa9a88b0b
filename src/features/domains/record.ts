import { type App, type Config, newToken } from "#kit";

/** The record that proves a domain (rules 39.3). */
export const recordOf = ({ domainDnsLabel: label }: Config, domain: string, value: string) => ({
  name: `_${label}.${domain}`,
  type: "TXT" as const,
  value: `${label}=${value}`,
});

/** Returns a new value of a record: 43 characters of base64url. */
export const newRecordValue = (): string => newToken();

/** What a check of a record has found out, and the values that are there. */
type RecordCheck = { outcome: "present" | "absent" | "unanswered"; found: string[] };

/** Asks DNS for a record. Never call it inside a transaction. */
export async function checkRecord(
  { resolveTxt, meter }: App,
  { name, value }: { name: string; value: string },
): Promise<RecordCheck> {
  const answer = await resolveTxt(name);
  const found = answer.kind === "found" ? answer.values : [];
  const absent = answer.kind === "unanswered" ? "unanswered" : "absent";
  const outcome = found.includes(value) ? "present" : absent;
  meter.count("domain_checks_total", { outcome });
  return { outcome, found };
}
