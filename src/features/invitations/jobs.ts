import {
  type JobKind,
  lockOrganization,
  newToken,
  type Service,
  systemCall,
  type Tx,
  tokenHash,
  transaction,
} from "#kit";
import { fromStored } from "#kit/inside";
import * as invitations from "#sql/invitations";
import { mailInvitation } from "./issue.ts";
import { INVITATION_LIFETIME_DAYS } from "./limits.ts";

/** The maximum number of mails that one run sends; the next run is a minute later. */
const MAX_AT_ONCE = 1_000;

/**
 * A job that runs every minute and sends the invitation mails that waited because of the daily limit of their
 * address (rules 23.7).
 */
export const invitationJobs: JobKind<Service>[] = [
  {
    queue: "invitations.mail",
    schedule: "* * * * *",
    concurrency: 1,
    async run(service) {
      const due = await invitations.listDueSends.run({ max: MAX_AT_ONCE }, service.db);
      for (const send of due) await transaction(systemCall(service), (tx) => sendDue(tx, send));
    },
  },
];

async function sendDue(
  tx: Tx,
  { id, organizationId }: { id: string; organizationId: string },
): Promise<void> {
  await lockOrganization(tx, organizationId);
  const token = newToken();
  const [renewed] = await invitations.renewDueInvitation.run(
    { id, tokenHash: tokenHash(token), lifetimeDays: INVITATION_LIFETIME_DAYS },
    tx.db,
  );
  if (renewed === undefined) return;
  const { email, language, organizationName, inviterName } = renewed;
  await mailInvitation(tx, {
    ...{ token, organizationName, email },
    language: fromStored(language),
    inviterName: inviterName ?? "",
  });
}
