type Sql = (text: string) => Promise<Record<string, unknown>[]>;
type Mails = readonly { messageId: string }[];

const COUNTS = `SELECT
  (SELECT count(*) FROM pgboss.job WHERE name = 'mail.send' AND data ->> 'label' = 'invitation')::int AS queued,
  (SELECT count(*) FROM audit_events WHERE action IN ('USER_INVITED', 'USER_INVITATION_RESENT'))::int AS invitations,
  (SELECT count(*) FROM pgboss.job
    WHERE name LIKE 'mail%' AND state IN ('created', 'retry', 'active', 'failed'))::int AS left`;
const jobOf = (messageId: string) => /[0-9a-f-]{36}/.exec(messageId)?.[0] ?? "";
/** Faults that can interrupt a mail between its sending and its record. It is then sent again, with the same id. */
const INTERRUPTING = /SMTP|database|PostgreSQL|backends|instance/;
const REPEATED_PER_FAULT = 4;

/**
 * Compares mails with their causes and jobs: each event of an invitation has one mail, each completed job has one that
 * arrived, at most as often as it was attempted.
 */
export async function mailViolations(
  sql: Sql,
  mails: Mails,
  logged: string[],
  faultCounts: Map<string, number>,
): Promise<{ violations: string[]; line: string }> {
  const violations: string[] = [];
  const [{ queued, invitations, left } = { left: -1 }] = await sql(COUNTS);
  if (left !== 0) violations.push(`${left} mails were never sent`);
  if (queued !== invitations)
    violations.push(`${invitations} invitations, but ${queued} mails of invitations`);
  const arrived = Map.groupBy(mails, ({ messageId }) => jobOf(messageId));
  const twice = mails.length - arrived.size;
  const faults = [...faultCounts].filter(([name]) => INTERRUPTING.test(name));
  const interruptions = faults.reduce((sum, [, times]) => sum + times, 0);
  if (twice > interruptions * REPEATED_PER_FAULT)
    violations.push(`${twice} mails were sent twice, for ${interruptions} interruptions`);
  // A mail is dropped if its link is no longer valid at a later attempt. The log says so.
  const dropped = new Set(
    logged.flatMap((line) => /Mail job ([0-9a-f-]{36}) \(\w+\) dropped/.exec(line)?.[1] ?? []),
  );
  const jobs = await sql(`SELECT id::text, retry_count + 1 AS attempts, data ->> 'label' AS label
    FROM pgboss.job WHERE name = 'mail.send' AND state = 'completed'`);
  for (const { id, attempts, label } of jobs) {
    const times = arrived.get(String(id))?.length ?? 0;
    if (times === 0 && !dropped.has(String(id)))
      violations.push(`a mail (${label}) was completed and never arrived: ${id}`);
    if (times > Number(attempts))
      violations.push(`a mail (${label}) arrived ${times} times in ${attempts} attempts`);
  }
  const line = `mails: ${arrived.size}, ${twice} of them sent twice; ${invitations} invitations`;
  return { violations, line };
}
