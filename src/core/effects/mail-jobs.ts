import type { Job, JobKind } from "../../platform/jobs/queue.ts";
import type { App } from "../context.ts";
import { MAIL_QUEUE, type MailRequest } from "./mail.ts";
import { renderMail } from "./mail-render.tsx";

/** Sends the queued mails. The Message-ID is the job's, so that mail clients can detect a mail that was sent twice after a crash. */
export const mailJobs: JobKind<App>[] = [
  {
    queue: MAIL_QUEUE,
    // Bounded by the number of SMTP connections.
    concurrency: 25,
    async run(app, { id, payload }: Job<MailRequest>) {
      const messageId = `<${id}@${new URL(app.config.appUrl).hostname}>`;
      await app.mailer.send({ to: payload.to, messageId, ...renderMail(payload, app.config.appUrl) });
    },
    onFinalFailure(app, { id, label }, err) {
      app.log.error(`Mail job ${id} (${label}) failed on its last attempt`, { err });
    },
  },
];
