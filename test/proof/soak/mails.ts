type Sql = (text: string) => Promise<Record<string, unknown>[]>;
type Mails = readonly { messageId: string }[];

/**
 * Mails against what caused them: each event of an invitation is one mail; a mail that came twice has the same message id
 * and belongs to the window of a crash, so it is counted.
 */
export async function mailFigures(sql: Sql, mails: Mails) {
  const ids = new Set(mails.map(({ messageId }) => messageId));
  const [{ queued } = { queued: 0 }] = await sql(
    "SELECT count(*)::int AS queued FROM pgboss.job WHERE name = 'mail.send' AND data ->> 'label' = 'invitation'",
  );
  const [{ told } = { told: 0 }] = await sql(
    "SELECT count(*)::int AS told FROM audit_events WHERE action IN ('USER_INVITED', 'USER_INVITATION_RESENT')",
  );
  const [{ left } = { left: 0 }] = await sql(
    `SELECT count(*)::int AS left FROM pgboss.job WHERE name LIKE 'mail%' AND state IN ('created', 'retry', 'active', 'failed')`,
  );
  return {
    told: Number(told),
    queued: Number(queued),
    left: Number(left),
    distinct: ids.size,
    twice: mails.length - ids.size,
  };
}

const jobOf = (messageId: string) => /[0-9a-f-]{36}/.exec(messageId)?.[0] ?? "";

/** Jobs that say that they sent their mail, and it did not come; and mails that came oftener than they were tried. */
export async function jobViolations(sql: Sql, mails: Mails, logged: string[]): Promise<string[]> {
  const came = Map.groupBy(mails, ({ messageId }) => jobOf(messageId));
  // A mail whose link is dead by the time of another attempt is dropped, and the log says so.
  const dropped = new Set(
    logged.flatMap((line) => /Mail job ([0-9a-f-]{36}) \(\w+\) dropped/.exec(line)?.[1] ?? []),
  );
  const jobs = await sql(`SELECT id, retry_count AS retries, data ->> 'label' AS label
    FROM pgboss.job WHERE name = 'mail.send' AND state = 'completed'`);
  return jobs.flatMap(({ id, retries, label }) => {
    const times = came.get(String(id))?.length ?? 0;
    if (times === 0 && !dropped.has(String(id))) return `a mail (${label}) was done and never came: ${id}`;
    const most = Number(retries) + 1;
    return times > most ? `a mail (${label}) came ${times} times in ${most} attempts` : [];
  });
}

/** What is wrong of the figures, for how often something was interrupted that mails need. */
export function mailViolations(
  mailed: Awaited<ReturnType<typeof mailFigures>>,
  broken: Map<string, number>,
): string[] {
  const found: string[] = [];
  if (mailed.left > 0) found.push(`${mailed.left} mails were never sent`);
  if (mailed.queued !== mailed.told)
    found.push(`${mailed.told} invitations, and ${mailed.queued} mails of them`);
  const interrupted = [...broken].reduce(
    (sum, [name, times]) => sum + (/SMTP|database|PostgreSQL|backends|instance/.test(name) ? times : 0),
    0,
  );
  if (mailed.twice > interrupted * 4)
    found.push(`${mailed.twice} mails came twice, for ${interrupted} interruptions`);
  return found;
}
