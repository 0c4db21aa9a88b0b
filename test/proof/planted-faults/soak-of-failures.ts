import type { PlantedFault } from "../planted-faults.ts";
import { OUTER_DATABASE, soakOf } from "./soak.ts";

/**
 * Planted faults by which data is lost, left over or not reported while a dependency fails; `bun run proof soak` must
 * find them.
 */
export const FAILURE_FAULTS: PlantedFault[] = [
  {
    name: "soak: an attachment exists although its image was not stored",
    command: soakOf(61, "storage"),
    edits: [
      [
        "src/features/helpdesk/uploads.ts",
        `  for (const outcome of stored) if (outcome.status === "rejected") throw outcome.reason;`,
        `  if (stored.every((outcome) => outcome.status === "rejected") && stored.length > 1) throw new Error("No image was stored");`,
      ],
    ],
    expected: /^Violated: a row without an object/,
  },
  {
    name: "soak: an object that cannot be deleted is forgotten",
    command: soakOf(61, "storage"),
    edits: [
      [
        "src/features/helpdesk/abandoned-uploads.ts",
        `const gone = abandoned.flatMap(({ id }, index) => (deleted[index]?.status === "fulfilled" ? [id] : []));`,
        "const gone = abandoned.map(({ id }) => id);",
      ],
    ],
    expected: /^Violated: an object without a row/,
  },
  {
    name: "soak: an upload has no timeout",
    command: soakOf(62, "half-open storage"),
    edits: [
      [
        "src/platform/storage/s3.ts",
        "new PutObjectCommand({ Bucket, Key, Body, ContentType }), within()",
        "new PutObjectCommand({ Bucket, Key, Body, ContentType })",
      ],
    ],
    expected: /^Violated: .*no response within/,
  },
  {
    name: "soak: an event is acknowledged before it is applied",
    command: soakOf(61, "payments"),
    edits: [
      [
        "src/features/billing/update-copy.ts",
        `  for (let look = 1; look <= MAX_ATTEMPTS; look += 1) {
    const [known]`,
        `  if (eventId !== null) {
    const [isNew] = await subscriptions.insertPaymentEvent.run({ id: eventId }, call.db.writes);
    if (isNew === undefined) return "repeated";
  }
  for (let look = 1; look <= MAX_ATTEMPTS; look += 1) {
    const [known]`,
      ],
      [
        "src/features/billing/update-copy.ts",
        `  if (eventId !== null) {
    const [isNew] = await subscriptions.insertPaymentEvent.run({ id: eventId }, tx.db);
    if (isNew === undefined) return "repeated";
  }
  await subscriptions.update`,
        "  await subscriptions.update",
      ],
    ],
    expected: /^Violated: the copy of/,
  },
  {
    name: "soak: events are lost between two transactions of their sealing",
    command: soakOf(61, "kill,flaky"),
    edits: [
      [
        "src/features/audit/seal.ts",
        "seals.takeUnsealed.run({ max: EVENTS_AT_ONCE }, tx.db)",
        "seals.takeUnsealed.run({ max: EVENTS_AT_ONCE }, (tx as unknown as { outer: { writes: never } }).outer.writes)",
      ],
      OUTER_DATABASE,
    ],
    expected: /^Violated: the chains of events/,
  },
  {
    name: "soak: an instance stays ready without its database",
    command: soakOf(61, "blackholed"),
    edits: [
      [
        "src/core/api/readiness.ts",
        `return (await Promise.race([check(), late])) ? null : new Error("It does not work");`,
        `return (await Promise.race([check(), late])) ? null : new Error("It does not work");
  } catch (error) {
    return /in time|service/i.test(String(error)) ? null : error;`,
      ],
      [
        "src/core/api/readiness.ts",
        `  } catch (error) {
    return error ?? new Error("It does not work");
  } finally {`,
        "  } finally {",
      ],
    ],
    expected: /^Violated: blackholed database: readiness/,
  },
  {
    name: "soak: a mail is queued outside of the transaction",
    command: soakOf(62, "flaky database,backends"),
    edits: [
      [
        "src/core/effects/mail.ts",
        "tx.app.jobs.send(tx.db.pipelined, MAIL_QUEUE",
        "tx.app.jobs.send((tx as unknown as { outer: { writes: never } }).outer.writes, MAIL_QUEUE",
      ],
      OUTER_DATABASE,
    ],
    expected: /^Violated: .*(mails of invitations|without exactly one)/,
  },
  {
    name: "soak: a mail is queued after the commit",
    command: soakOf(62, "flaky database,backends"),
    edits: [
      [
        "src/core/effects/mail.ts",
        "await tx.app.jobs.send(tx.db.pipelined, MAIL_QUEUE, order, about);",
        `tx.afterCommit.push((db) => tx.app.jobs.send(db.writes, MAIL_QUEUE, order, about).catch((err) => tx.app.log.error("mail not queued", { err })));`,
      ],
    ],
    expected: /^Violated: .*(mails of invitations|without exactly one)/,
  },
  {
    name: "soak: a failed mail counts as sent",
    command: soakOf(62, "unreachable SMTP"),
    edits: [
      [
        "src/platform/mail/smtp.ts",
        "throw new MailRejectedError(error as MailFailure);",
        "void (error as MailFailure);",
      ],
    ],
    expected: /^Violated: a mail .* never arrived/,
  },
  {
    name: "soak: memory of every request is kept",
    command: soakOf(61, "feed"),
    edits: [
      [
        "src/core/api/guard.ts",
        "  if (claims === null) throw unauthenticated();",
        `  if (claims === null) throw unauthenticated();
  seen.push(Buffer.alloc(16_384, claims.sub), request.headers);`,
      ],
      [
        "src/core/api/guard.ts",
        "type GuardedRoute = Pick<",
        `const seen: unknown[] = [];

type GuardedRoute = Pick<`,
      ],
    ],
    expected: /^Violated: an instance grows/,
  },
  {
    name: "soak: deadlines go by the wall clock",
    command: soakOf(62, "clock"),
    edits: [
      [
        "src/platform/db/deadlines.ts",
        "  const now = performance.now();",
        "  const now = Date.now() - began;",
      ],
      [
        "src/platform/db/deadlines.ts",
        "let isShared = true;",
        `let isShared = true;
const began = Date.now() - performance.now();`,
      ],
    ],
    expected: /^Violated: .*: 503 /,
  },
];
