type Sql = (text: string) => Promise<Record<string, unknown>[]>;
type Mails = readonly { messageId: string }[];

/**
 * Counts mails and their causes. Each event of an invitation has one mail. A mail that was sent twice, because of a
 * crash between sending and recording, has one message id.
 */
export async function mailFigures(sql: Sql, mails: Mails) {
  const ids = new Set(mails.map(({ messageId }) => messageId));
  const [{ queued } = { queued: 0 }] = await sql(
    "SELECT count(*)::int AS queued FROM pgboss.job WHERE name = 'mail.send' AND data ->> 'label' = 'invitation'",
  );
  const [{ invitations } = { invitations: 0 }] = await sql(
    "SELECT count(*)::int AS invitations FROM audit_events WHERE action IN ('USER_INVITED', 'USER_INVITATION_RESENT')",
  );
  const [{ left } = { left: 0 }] = await sql(
    `SELECT count(*)::int AS left FROM pgboss.job WHERE name LIKE 'mail%' AND state IN ('created', 'retry', 'active', 'failed')`,
  );
  return {
    invitations: Number(invitations),
    queued: Number(queued),
    left: Number(left),
    distinct: ids.size,
    twice: mails.length - ids.size,
  };
}

const jobOf = (messageId: string) => /[0-9a-f-]{36}/.exec(messageId)?.[0] ?? "";

/** Finds completed jobs whose mail did not arrive, and mails that arrived more often than they were attempted. */
export async function jobViolations(sql: Sql, mails: Mails, logged: string[]): Promise<string[]> {
  const arrived = Map.groupBy(mails, ({ messageId }) => jobOf(messageId));
  // A mail is dropped if its link is no longer valid at a later attempt. The log says so.
  const dropped = new Set(
    logged.flatMap((line) => /Mail job ([0-9a-f-]{36}) \(\w+\) dropped/.exec(line)?.[1] ?? []),
  );
  const jobs = await sql(`SELECT id, retry_count AS retries, data ->> 'label' AS label
    FROM pgboss.job WHERE name = 'mail.send' AND state = 'completed'`);
  return jobs.flatMap(({ id, retries, label }) => {
    const times = arrived.get(String(id))?.length ?? 0;
    if (times === 0 && !dropped.has(String(id)))
      return `a mail (${label}) was completed and never arrived: ${id}`;
    const attempts = Number(retries) + 1;
    return times > attempts ? `a mail (${label}) arrived ${times} times in ${attempts} attempts` : [];
  });
}

/** Checks the counts of mails. For each fault that interrupts mails, some mails may be sent twice. */
export function mailViolations(
  mailed: Awaited<ReturnType<typeof mailFigures>>,
  faultCounts: Map<string, number>,
): string[] {
  const found: string[] = [];
  if (mailed.left > 0) found.push(`${mailed.left} mails were never sent`);
  if (mailed.queued !== mailed.invitations)
    found.push(`${mailed.invitations} invitations, but ${mailed.queued} mails of invitations`);
  const interruptions = [...faultCounts].reduce(
    (sum, [name, times]) => sum + (/SMTP|database|PostgreSQL|backends|instance/.test(name) ? times : 0),
    0,
  );
  if (mailed.twice > interruptions * 4)
    found.push(`${mailed.twice} mails were sent twice, for ${interruptions} interruptions`);
  return found;
}
