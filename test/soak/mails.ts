type Sql = (text: string) => Promise<Record<string, unknown>[]>;
type Mails = readonly { messageId: string; links: string[] }[];

/**
 * Mails against what caused them: each event of an invitation is one mail; a mail that came twice has the same message id
 * and belongs to the window of a crash, so it is counted.
 */
export async function mailFigures(sql: Sql, mails: Mails) {
  const invitations = mails.filter(({ links }) => links.some((link) => link.includes("/accept-invitation")));
  const ids = new Set(mails.map(({ messageId }) => messageId));
  const [{ told } = { told: 0 }] = await sql(
    "SELECT count(*)::int AS told FROM audit_events WHERE action IN ('USER_INVITED', 'USER_INVITATION_RESENT')",
  );
  const [{ left } = { left: 0 }] = await sql(
    `SELECT count(*)::int AS left FROM pgboss.job WHERE name LIKE 'mail%' AND state IN ('created', 'retry', 'active', 'failed')`,
  );
  return {
    told: Number(told),
    invitations: new Set(invitations.map(({ messageId }) => messageId)).size,
    left: Number(left),
    distinct: ids.size,
    twice: mails.length - ids.size,
  };
}

const jobOf = (messageId: string) => /[0-9a-f-]{36}/.exec(messageId)?.[0] ?? "";

/** Jobs that say that they sent their mail, and it did not come; and mails that came oftener than they were tried. */
export async function jobViolations(sql: Sql, mails: Mails): Promise<string[]> {
  const came = Map.groupBy(mails, ({ messageId }) => jobOf(messageId));
  // A mail whose link is dead by the time of another attempt is dropped.
  const jobs = await sql(`SELECT id, retry_count AS retries, data ->> 'label' AS label,
      retry_count > 0 AND data ->> 'label' IN ('invitation', 'passwordReset', 'verification') AS "mayBeDropped"
    FROM pgboss.job WHERE name = 'mail.send' AND state = 'completed'`);
  return jobs.flatMap(({ id, retries, label, mayBeDropped }) => {
    const times = came.get(String(id))?.length ?? 0;
    if (times === 0 && !mayBeDropped) return `a mail (${label}) was done and never came: ${id}`;
    return times > Number(retries) + 1
      ? `a mail (${label}) came ${times} times in ${Number(retries) + 1} attempts`
      : [];
  });
}

/** What is wrong of the figures, for how often something was interrupted that mails need. */
export function mailViolations(
  mailed: Awaited<ReturnType<typeof mailFigures>>,
  broken: Map<string, number>,
): string[] {
  const found: string[] = [];
  if (mailed.left > 0) found.push(`${mailed.left} mails were never sent`);
  if (mailed.invitations !== mailed.told)
    found.push(`${mailed.told} invitations, and ${mailed.invitations} mails of them`);
  const interrupted = [...broken].reduce(
    (sum, [name, times]) => sum + (/SMTP|database|PostgreSQL|backends|instance/.test(name) ? times : 0),
    0,
  );
  if (mailed.twice > interrupted * 4)
    found.push(`${mailed.twice} mails came twice, for ${interrupted} interruptions`);
  return found;
}
