import { type Config, newToken } from "#kit";

/** The record that proves a domain (rules 39.3). */
export const recordOf = ({ domainDnsLabel: label }: Config, domain: string, value: string) => ({
  name: `_${label}.${domain}`,
  type: "TXT" as const,
  value: `${label}=${value}`,
});

/** Returns a new value of a record: 43 characters of base64url. */
export const newRecordValue = (): string => newToken();
