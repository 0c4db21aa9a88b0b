import * as effects from "#sql/effects";
import { tokenHash } from "../../platform/crypto.ts";
import type { Job, JobKind } from "../../platform/jobs/queue.ts";
import type { App } from "../context.ts";
import { MAIL_QUEUE, type MailOrder } from "./mail.ts";
import { renderMail } from "./mail-render.tsx";

/**
 * Of mails that failed at every attempt, those that may go out once the server is back: tried once more each time, for
 * three days. Not those that a server has refused for good (RFC 5321 4.2.1), for their recipient or their content.
 */
const RETRY_FAILED = `UPDATE pgboss.job_common SET state = 'retry', retry_count = retry_limit, start_after = now(),
    completed_on = NULL
  WHERE name = $1 AND state = 'failed' AND created_on > now() - interval '3 days'
    AND NOT coalesce(output->>'error' IN ('EENVELOPE', 'EMESSAGE') AND (output->>'responseCode')::int >= 500, false)`;

/** Sends the queued mails. The Message-ID is the job's, so that a mail sent twice after a crash shows as one. */
export const mailJobs: JobKind<App>[] = [
  {
    queue: MAIL_QUEUE,
    // They wait for the few connections to SMTP.
    atOnce: 25,
    async run(app, { id, payload, isRetried, requestId }: Job<MailOrder>) {
      const { kind, to } = payload;
      const count = (outcome: string) => app.meter.count("mails_total", { kind, outcome });
      if (isRetried && (await hasDeadLink(app, payload))) {
        app.log.warn(`Mail job ${id} (${kind}) dropped: its link works no longer`, {
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
    gaveUp(app, { id, queue, label, requestId }, err) {
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
    async run(app) {
      await app.db.writes.query(RETRY_FAILED, [MAIL_QUEUE]);
    },
  },
];

/** Whether a mail would bring a link that has expired meanwhile, or has been used, replaced or revoked. */
async function hasDeadLink({ db }: App, { data }: MailOrder): Promise<boolean> {
  if (!("token" in data)) return false;
  return (await effects.findLiveLink.run({ tokenHash: tokenHash(data.token) }, db)).length === 0;
}
