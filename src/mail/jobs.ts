import type { App } from "../context.ts";
import type { Job, JobKind } from "../jobs/queue.ts";
import { MAIL_QUEUE, type MailOrder } from "./effect.ts";
import { renderMail } from "./render.tsx";

/** Sends the queued mails. The Message-ID is the job's, so that a mail sent twice after a crash shows as one. */
export const mailJobs: JobKind<App>[] = [
  {
    queue: MAIL_QUEUE,
    async run(app, { id, payload, isLastAttempt }: Job<MailOrder>) {
      try {
        const messageId = `<${id}@${new URL(app.config.appUrl).hostname}>`;
        await app.mailer.send({ to: payload.to, messageId, ...renderMail(payload, app.config.appUrl) });
      } catch (error) {
        if (isLastAttempt)
          app.log.error(`Mail job ${id} (${payload.kind}) failed on its last attempt`, { err: error });
        throw error;
      }
    },
  },
];
