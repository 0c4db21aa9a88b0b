import * as effects from "#sql/effects";
import { tokenHash } from "../../platform/crypto.ts";
import type { Queryable } from "../../platform/db/prepared-query.ts";
import { RETRY_FAILED_MAILS } from "../../platform/jobs/pgboss-tables.ts";
import type { Job, JobKind } from "../../platform/jobs/queue.ts";
import type { Service } from "../context.ts";
import { MAIL_QUEUE, type MailRequest } from "./mail.ts";
import { renderMail } from "./mail-render.tsx";

/**
 * Sends the queued mails. The id of the job is used as the Message-ID, so that mail clients can detect a mail that
 * was sent twice after a crash.
 */
export const mailJobs: JobKind<Service>[] = [
  {
    queue: MAIL_QUEUE,
    // The maximum number of mails that are sent at once. The number of SMTP connections may limit it further.
    concurrency: 25,
    async run({ app, db }, { id, payload, isRetried, requestId }: Job<MailRequest>) {
      const { kind, to } = payload;
      const count = (outcome: string) => app.meter.count("mails_total", { kind, outcome });
      if (isRetried && (await hasDeadLink(db, payload))) {
        app.log.warn(`Mail job ${id} (${kind}) dropped: its link is no longer valid`, {
          ...{ queue: MAIL_QUEUE, jobId: id, requestId },
        });
        count("dropped");
        return;
      }
      const messageId = `<${id}@${new URL(app.config.appUrl).hostname}>`;
      try {
        await app.mailer.send({ to, messageId, ...renderMail(payload, app.config.appUrl) });
        count("sent");
      } catch (error) {
        count("failed");
        throw error;
      }
    },
    onFinalFailure({ app }, { id, queue, label, requestId }, err) {
      app.meter.count("mails_total", { kind: label, outcome: "given_up" });
      app.log.error(`Mail job ${id} (${label}) failed on its last attempt`, {
        ...{ queue, jobId: id, requestId },
        err,
      });
    },
  },
  {
    queue: "mail.retry-failed",
    schedule: "7,37 * * * *",
    async run({ db }) {
      await db.writes.query(RETRY_FAILED_MAILS, [MAIL_QUEUE]);
    },
  },
];

/** Whether the link of a queued mail has expired, or was used, replaced or revoked since. */
async function hasDeadLink(db: Queryable, { data }: MailRequest): Promise<boolean> {
  if (!("token" in data) || data.token === undefined) return false;
  return (await effects.findLiveLink.run({ tokenHash: tokenHash(data.token) }, db)).length === 0;
}
