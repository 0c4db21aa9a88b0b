import type { Tx } from "../core/context.ts";

/*
 * Creates the tickets of the demo organization: about two on a working day and few at the weekend, most of them in the
 * morning and in the early afternoon, with conversations as staff and reporters would have them.
 */

type Topic = { subject: string; category: string; question: string; reply: string };

const topic = (category: string, subject: string, question: string, reply: string): Topic => ({
  subject,
  category,
  question,
  reply,
});

const TOPICS: readonly Topic[] = [
  topic(
    "BUG",
    "The members list stays blank",
    "Since this morning the list of members stays empty for me. Reloading does not help.",
    "A filter by unit was still set. “Clear filters” above the list shows everybody again.",
  ),
  topic(
    "QUESTION",
    "How do I move a unit?",
    "We merge two teams next week. Can I move a unit with its members, or do I have to create it again?",
    "You can drag it in the tree, or press M on it. Members and roles move with it.",
  ),
  topic(
    "ACCOUNT",
    "My second factor stopped working",
    "My phone was replaced and the codes of the new one are refused.",
    "Please use one of your recovery codes and set up the app again under “Security”.",
  ),
  topic(
    "BILLING",
    "Invoice for October",
    "Our bookkeeping misses the invoice for October. Where do I find it?",
    "All invoices are behind “Manage the subscription” on the billing page.",
  ),
  topic(
    "FEATURE",
    "Dark colors for charts, please",
    "The charts are hard to read in the evening. Could they follow the dark theme?",
    "They do since last week. Choose “Dark” in your profile.",
  ),
  topic(
    "BUG",
    "Wrong time zone in notifications",
    "Notifications show times that are two hours late.",
    "We could repeat it and have passed it on. The correction comes with the next version.",
  ),
  topic(
    "QUESTION",
    "Who may see internal notes?",
    "Before I write one: can the person who opened the ticket read an internal note?",
    "No, only staff can. Reporters see replies alone.",
  ),
  topic(
    "BUG",
    "Cannot invite an address with a plus sign",
    "Inviting lea+work@example.com says that this is no email address.",
    "Thank you, this was a mistake on our side. It works now.",
  ),
  topic(
    "ACCOUNT",
    "Change my last name",
    "I have married. How do I change my name everywhere?",
    "You can change it in your profile; lists show it at once.",
  ),
  topic(
    "OTHER",
    "Two roles with the same name",
    "There are two roles called “Coordinator”. Which one should I give?",
    "The newer one has fewer permissions, so please give that one.",
  ),
];

/** Hours at which tickets are opened; an hour that is listed more often is more frequent. */
const HOURS = [8, 9, 9, 9, 10, 10, 10, 11, 11, 12, 13, 14, 14, 15, 15, 16, 17, 19, 21];
/** Minutes until the first reply of staff. */
const REPLY_MINUTES = [7, 12, 19, 24, 31, 38, 46, 65, 90, 140, 260, 900];
/** The ages in hours of the newest tickets, which nobody has replied to. */
const UNANSWERED_HOURS = [51, 28, 7, 2];
const DAYS = 90;
const DAY_MINUTES = 24 * 60;

type Ticket = {
  subject: string;
  category: string;
  status: string;
  reporter: string;
  at: string;
  question: string;
  /** Null for a ticket without a reply. */
  reply: string | null;
  thanks: string | null;
  note: string | null;
  replyMinutes: number;
};

/** Returns a function that returns the same sequence of numbers from 0 to below `limit` for every database. */
function sequence(seed: number) {
  let state = seed;
  return (limit: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * limit);
  };
}

/** Returns the tickets of the 90 days before `now`, oldest first. */
function ticketsBefore(now: Date, members: readonly string[]): Ticket[] {
  const random = sequence(7);
  const pick = <Item>(items: readonly Item[]) => items[random(items.length)] as Item;
  const tickets: Ticket[] = [];
  function add(at: Date, isUnanswered: boolean) {
    const { subject, category, question, reply } = pick(TOPICS);
    const ageMinutes = (now.getTime() - at.getTime()) / 60_000;
    const replyMinutes = pick(REPLY_MINUTES);
    const hasReply = !isUnanswered && ageMinutes > replyMinutes;
    const status = statusAt(ageMinutes, random(10));
    const hasThanks = hasReply && ageMinutes > 2 * DAY_MINUTES && random(3) === 0;
    tickets.push({
      subject,
      category,
      question,
      status: hasReply ? status : "OPEN",
      reporter: pick(members),
      at: at.toISOString(),
      reply: hasReply ? reply : null,
      thanks: hasThanks ? "That helped, thank you!" : null,
      note: hasReply && random(5) === 0 ? "The same was reported last month." : null,
      replyMinutes,
    });
  }
  for (let daysAgo = DAYS - 1; daysAgo > 0; daysAgo -= 1) {
    const day = new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo);
    const isWeekend = day.getDay() % 6 === 0;
    // The organization grows, so the number of tickets per day grows too.
    const count = isWeekend ? random(2) : 1 + random(3) + Math.floor((DAYS - daysAgo) / 50);
    for (let left = count; left > 0; left -= 1) {
      day.setHours(pick(HOURS), random(60), random(60));
      add(day, false);
    }
  }
  for (const hours of UNANSWERED_HOURS) add(new Date(now.getTime() - hours * 3_600_000), true);
  return tickets;
}

/** Returns a status that fits the age of a ticket. `chance` is from 0 to 9. */
function statusAt(ageMinutes: number, chance: number): string {
  const days = ageMinutes / DAY_MINUTES;
  if (days < 5) return chance < 4 ? "IN_PROGRESS" : "RESOLVED";
  return days > 30 || chance < 4 ? "CLOSED" : "RESOLVED";
}

/** Adds the tickets with their messages and changes of status. `staff` replies. */
export async function plantTickets(
  tx: Tx,
  organizationId: string,
  { staff, members }: { staff: readonly string[]; members: readonly string[] },
): Promise<void> {
  const tickets = ticketsBefore(new Date(), members);
  await tx.db.query(
    `WITH planned AS (
       SELECT uuidv7() AS id, t.*, ($3::uuid[])[1 + number % cardinality($3)] AS replier,
         at + make_interval(mins => "replyMinutes") AS replied_at
       FROM (SELECT * FROM ROWS FROM (jsonb_to_recordset($2::text::jsonb) AS (subject text, category text, status text,
         reporter uuid, at timestamptz, question text, reply text, thanks text, note text, "replyMinutes" int))
         WITH ORDINALITY AS rows (subject, category, status, reporter, at, question, reply, thanks, note, "replyMinutes",
           number)) t
     ), steps AS (
       SELECT id, from_status, to_status, replier, LEAST(at + wait, now()) AS at
       FROM (SELECT id, replier, at, status, "replyMinutes" FROM planned) p CROSS JOIN LATERAL (VALUES
         ('OPEN', 'IN_PROGRESS', make_interval(mins => "replyMinutes"), ARRAY['IN_PROGRESS', 'RESOLVED', 'CLOSED']),
         ('IN_PROGRESS', 'RESOLVED', make_interval(mins => "replyMinutes" * 3 + 60), ARRAY['RESOLVED', 'CLOSED']),
         ('RESOLVED', 'CLOSED', interval '14 days', ARRAY['CLOSED'])) step (from_status, to_status, wait, of_status)
       WHERE status = ANY (of_status)
     ), messages AS (
       SELECT id, reporter AS author, question AS body, at, NULL AS scope, false AS internal FROM planned
       UNION ALL SELECT id, replier, note, replied_at - interval '2 minutes', 'ORGANIZATION', true FROM planned
         WHERE note IS NOT NULL
       UNION ALL SELECT id, replier, reply, replied_at, 'ORGANIZATION', false FROM planned WHERE reply IS NOT NULL
       UNION ALL SELECT id, reporter, thanks, replied_at + interval '50 minutes', NULL, false FROM planned
         WHERE thanks IS NOT NULL
     ), ticket AS (
       INSERT INTO tickets (id, organization_id, reporter_id, subject, category, status, page_path, browser, app_version,
         created_at, last_activity_at)
       SELECT id, $1::uuid, reporter, subject, category, status, '/members', 'Chrome 156', '1.0.0', at,
         (SELECT max(m.at) FROM messages m WHERE m.id = planned.id)
       FROM planned ORDER BY at
       RETURNING id
     ), message AS (
       INSERT INTO ticket_messages (ticket_id, author_id, body, staff_scope, internal, created_at)
       SELECT id, author, body, scope, internal, at FROM messages JOIN ticket USING (id) ORDER BY at
     )
     INSERT INTO ticket_events (ticket_id, from_status, to_status, actor_id, staff_scope, created_at)
     SELECT id, from_status, to_status, replier, 'ORGANIZATION', steps.at FROM steps JOIN ticket USING (id)`,
    [organizationId, JSON.stringify(tickets), staff],
  );
}
