import type { Job, JobKind } from "../../platform/jobs/queue.ts";
import type { App } from "../context.ts";
import { MAIL_QUEUE, type MailOrder } from "./mail.ts";
import { renderMail } from "./mail-render.tsx";

/** Sends the queued mails. The Message-ID is the job's, so that a mail sent twice after a crash shows as one. */
export const mailJobs: JobKind<App>[] = [
  {
    queue: MAIL_QUEUE,
    // They wait for the few connections to SMTP.
    atOnce: 25,
    async run(app, { id, payload }: Job<MailOrder>) {
      const messageId = `<${id}@${new URL(app.config.appUrl).hostname}>`;
      const count = (outcome: string) => app.meter.count("mails_total", { kind: payload.kind, outcome });
      try {
        await app.mailer.send({ to: payload.to, messageId, ...renderMail(payload, app.config.appUrl) });
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
];
