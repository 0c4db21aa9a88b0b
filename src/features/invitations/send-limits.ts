import { type AuthenticatedCall, exactlyOne, type Tx, tooManyRequests } from "#kit";
import { lockEmail } from "#kit/inside";
import * as invitations from "#sql/invitations";
import { LIMITS } from "./limits.ts";

const { mailsOfOrganization, mailsToAddress, mailsToAddressOverall, waitingMails } = LIMITS;
const MAX_SENDS = {
  ofOrganization: mailsOfOrganization.points,
  ofOrganizationSeconds: mailsOfOrganization.perSeconds,
  toAddress: mailsToAddress.points,
  toAddressSeconds: mailsToAddress.perSeconds,
  overall: mailsToAddressOverall.points,
  overallSeconds: mailsToAddressOverall.perSeconds,
};

/** What the limits of invitation mails say about one more mail. */
export type SendLimits = {
  /** The seconds until no hourly limit prevents the mail; null if it is allowed. */
  secondsLeft: number | null;
  /** The time at which no hourly limit prevents the mail; null if it is allowed. */
  freeAt: Date | null;
  /** The time from which the daily limit of the address allows the mail, or of the waiting mail that it replaces; null for now. */
  mailAt: Date | null;
  /** Whether a mail of the organization to this address waits: the new one takes its place. */
  hasPlace: boolean;
};
const NO_LIMITS: SendLimits = { secondsLeft: null, freeAt: null, mailAt: null, hasPlace: false };

/**
 * Returns whether the caller may send an invitation mail to this address now. Call under the organization's lock.
 * Takes the address's lock first and keeps it until the transaction ends, so that the counts cannot change.
 */
export async function findSendLimits(
  tx: Tx<AuthenticatedCall>,
  to: { organizationId: string; email: string },
): Promise<SendLimits> {
  if (tx.actor.isPlatformAdmin) return NO_LIMITS;
  await lockEmail(tx, to.email);
  return exactlyOne(await invitations.findSendLimits.run({ ...to, ...MAX_SENDS }, tx.db));
}

/** When a mail is sent (null: now), and when it counts for the hourly limits (null: now). */
export type MailTime = { mailAt: Date | null; countsAt: Date | null };

/** Returns when the mail of a single invitation is sent. @throws tooManyRequests above an hourly limit */
export function mailTimeOrRefusal({ secondsLeft, mailAt }: SendLimits): MailTime {
  if (secondsLeft !== null) throw tooManyRequests(secondsLeft);
  return { mailAt, countsAt: null };
}

/**
 * Returns when the mail of one of many invitations is sent: above an hourly limit it waits, too, and counts in the hour in
 * which it is sent. @throws tooManyRequests if too many mails of the organization wait
 */
export async function mailTimeInTurn(
  { db }: Tx,
  organizationId: string,
  { secondsLeft, freeAt, mailAt, hasPlace }: SendLimits,
): Promise<MailTime> {
  if (hasPlace) return { mailAt, countsAt: null };
  const times = [freeAt, mailAt].filter((time) => time !== null);
  const [latest] = times.sort((one, other) => other.getTime() - one.getTime());
  if (latest === undefined) return { mailAt: null, countsAt: null };
  const { max } = waitingMails.levels.organization;
  const { count } = exactlyOne(await invitations.countWaitingSends.run({ organizationId, max }, db));
  if (count >= max) throw tooManyRequests(secondsLeft ?? mailsOfOrganization.perSeconds);
  return { mailAt: latest, countsAt: freeAt && latest };
}
