import type { PlantedFault } from "../planted-faults.ts";
import { soakOf } from "./soak.ts";

/** Planted faults by which users see wrong data or keep access that was revoked; `bun run proof soak` must find them. */
export const PEOPLE_FAULTS: PlantedFault[] = [
  {
    name: "soak: streams do not deliver changes that the change feed missed",
    command: soakOf(61, "feed"),
    edits: [["src/app/server.ts", "      streams.refreshAll();\n", ""]],
    expected: /^Violated: a stream shows/,
  },
  {
    name: "soak: a closed stream still counts towards the limit",
    command: soakOf(61, "feed"),
    edits: [
      ["src/features/notifications/streams.ts", "if (reader !== null) forget(reader);", "reader = null;"],
      [
        "src/features/notifications/streams.ts",
        `      log.warn("event not sent", { err });
      forget(reader);`,
        `      log.warn("event not sent", { err });`,
      ],
    ],
    expected: /^Violated: .*a stream is refused/,
  },
  {
    name: "soak: an ended session stays valid on the instance that used it last",
    command: soakOf(61, "feed"),
    edits: [
      [
        "src/features/sessions/refresh.ts",
        "  const session = await limiter.run(",
        `  const before = recent.get(token);
  if (before !== undefined && performance.now() - before.at < REFRESH_GRACE_SECONDS * 1000)
    return { ...before.session, refreshToken: null };
  const session = await limiter.run(`,
      ],
      [
        "src/features/sessions/refresh.ts",
        "  if (session !== null) return session;",
        `  if (session !== null) recent.set(token, { session, at: performance.now() });
  if (session !== null) return session;`,
      ],
      [
        "src/features/sessions/refresh.ts",
        "export type RefreshToken =",
        `const recent = new Map<string, { session: Session; at: number }>();

export type RefreshToken =`,
      ],
    ],
    expected: /^Violated: .*an ended session was refreshed/,
  },
  {
    name: "soak: an instance caches permissions without expiry",
    command: soakOf(61, "feed"),
    edits: [
      [
        "src/core/access/active-organization.ts",
        `  const { organizationId: id, organizationName: name, organizationSlug: slug } = rows[0] ?? {};
  if (id == null || name == null || slug == null) return NO_ACTIVE_ORGANIZATION;`,
        `  const { organizationId: id, organizationName: name, organizationSlug: slug } = rows[0] ?? {};
  if (id == null || name == null || slug == null) return NO_ACTIVE_ORGANIZATION;
  const key = rows.map((row) => \`\${row.organizationId} \${row.roleName}\`).join();
  const kept = cache.get(key);
  if (kept !== undefined && performance.now() - kept.at < 60_000) return kept.active;
  const fresh = await anew(rows, db, { id, name, slug });
  cache.set(key, { active: fresh, at: performance.now() });
  return fresh;
}

const cache = new Map<string, { active: ActiveOrganization; at: number }>();

async function anew(
  rows: access.IListActiveOrganizationGrantsResult[],
  db: Queryable,
  { id, name, slug }: { id: string; name: string; slug: string },
): Promise<ActiveOrganization> {`,
      ],
    ],
    expected: /^Violated: the next access token has/,
  },
  {
    name: "soak: access tokens of the previous key are refused",
    command: soakOf(61, "feed"),
    edits: [["src/app/services.ts", "previousSecret: config.jwtSecretPrevious,", "previousSecret: null,"]],
    expected: /^Violated: .*a valid access token was refused/,
  },
  {
    name: "soak: secrets of the previous key cannot be decrypted",
    command: soakOf(62, "feed"),
    edits: [
      [
        "src/app/services.ts",
        `createCipher(config.twoFactorKey, "two-factor", config.twoFactorKeyPrevious)`,
        `createCipher(config.twoFactorKey, "two-factor")`,
      ],
    ],
    expected: /^Violated: .*2fa\/verify/,
  },
  {
    name: "soak: a renewed session is lost by a retry",
    command: soakOf(62, "flaky database,backends"),
    edits: [
      [
        "src/features/sessions/refresh.ts",
        "return rotate({ ...call, db }, token, { successor, untilTime });",
        "return rotate({ ...call, db }, token, { untilTime });",
      ],
    ],
    expected: /^Violated: .*set no new cookie/,
  },
  {
    name: "soak: a replica is read although it is behind",
    command: soakOf(61, "repl"),
    edits: [
      [
        "src/platform/db/replica.ts",
        "await within(MAX_BEHIND_MS, catchUp);",
        "await within(MAX_BEHIND_MS, async () => void (await replayed()));",
      ],
    ],
    expected: /^Violated: a todo was created with 201, and the next list/,
  },
  {
    name: "soak: an incomplete export looks complete",
    command: soakOf(61, "database"),
    edits: [
      [
        "src/features/audit/export.ts",
        "const rows = piece ?? (await read(after));",
        "const rows = piece ?? (await read(after).catch(() => []));",
      ],
    ],
    expected: /^Violated: an export with 200 has/,
  },
  {
    name: "soak: a deployment drops requests",
    command: soakOf(61, "deploy"),
    edits: [
      [
        "src/app/server.ts",
        "await within(DRAIN_MS, server.stop());",
        "await within(DRAIN_MS, server.stop(true));",
      ],
    ],
    expected: /^Violated: .*: 0 /,
  },
  {
    name: "soak: 503 has no Retry-After",
    command: soakOf(61, "database"),
    edits: [
      [
        "src/platform/errors.ts",
        `      retryAfterSeconds: 1,
      cause,`,
        "      cause,",
      ],
    ],
    expected: /^Violated: .*no Retry-After/,
  },
  {
    name: "soak: an instance caches the number of seats",
    command: soakOf(62, "feed"),
    edits: [
      [
        "src/core/accounts/pending-invitations.ts",
        "  return exactlyOne(await invitations.countSeats.run({ organizationId }, db)).count;",
        `  const kept = seats.get(organizationId);
  if (kept !== undefined && performance.now() - kept.at < 20_000) return kept.count;
  const { count } = exactlyOne(await invitations.countSeats.run({ organizationId }, db));
  seats.set(organizationId, { count, at: performance.now() });
  return count;`,
      ],
      [
        "src/core/accounts/pending-invitations.ts",
        "/** Counts the seats",
        `const seats = new Map<string, { count: number; at: number }>();

/** Counts the seats`,
      ],
    ],
    expected: /^Violated: .*(seats)/,
  },
];
