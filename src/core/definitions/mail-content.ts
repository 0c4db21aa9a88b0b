import type { Language } from "../../platform/i18n/languages.ts";

/** The data of each kind of mail. Values are inserted unchanged and escaped when rendered. */
export type MailData = {
  verification: { token: string };
  passwordReset: { token: string };
  /** The number of passkeys that can still be used to sign in. Missing in jobs that an earlier version queued. */
  passwordChanged: { passkeys?: number | undefined };
  twoFactorEnabled: Record<string, never>;
  twoFactorDisabled: { via: "self" | "admin" };
  /** A missing purpose means a sign-in: jobs that an earlier version queued have no purpose. */
  recoveryCodeUsed: { remaining: number; purpose?: "sign-in" | "export" | "reauthentication" | undefined };
  wrongTwoFactorCodes: { wrongCodes: number };
  sessionsEnded: Record<string, never>;
  sessionsEndedByAdmin: Record<string, never>;
  signInMethodAdded: { providerName: string };
  signInMethodRemoved: { providerName: string };
  passkeyBlocked: { name: string };
  emailChangeOld: { token: string; newEmail: string; needsConfirmation: boolean };
  emailChangeNew: { token: string };
  /** The token of the undo link; missing if changes cannot be undone. */
  emailChanged: { newEmail: string; token?: string | undefined };
  emailChangeUndone: Record<string, never>;
  /** The inviter's name. Missing if the inviter has none, or if an earlier version queued the job. */
  invitation: { token: string; organizationName: string; inviterName?: string | undefined };
  apiKeyExpiring: AboutKey;
  apiKeyReported: AboutKey;
  webhookFailing: AboutEndpoint;
  webhookDisabled: AboutEndpoint;
  helpdeskReply: AboutTicket;
  helpdeskStatus: AboutTicket & { status: "OPEN" | "IN_PROGRESS" | "RESOLVED" | "CLOSED" };
};

/** Every kind of mail with its content. */
export const MAIL_KINDS = Object.keys({
  verification: 1,
  passwordReset: 1,
  passwordChanged: 1,
  twoFactorEnabled: 1,
  twoFactorDisabled: 1,
  recoveryCodeUsed: 1,
  wrongTwoFactorCodes: 1,
  sessionsEnded: 1,
  sessionsEndedByAdmin: 1,
  signInMethodAdded: 1,
  signInMethodRemoved: 1,
  passkeyBlocked: 1,
  emailChangeOld: 1,
  emailChangeNew: 1,
  emailChanged: 1,
  emailChangeUndone: 1,
  invitation: 1,
  apiKeyExpiring: 1,
  apiKeyReported: 1,
  webhookFailing: 1,
  webhookDisabled: 1,
  helpdeskReply: 1,
  helpdeskStatus: 1,
} satisfies Record<keyof MailData, 1>);

/** What a mail says about a ticket; it never contains the text of messages. */
type AboutTicket = { ticketId: string; number: number; subject: string };

/** What a mail says about an API key; it never contains the key itself. */
type AboutEndpoint = {
  host: string;
  organizationName: string;
  endpointId: string;
  failingSince: string | null;
};

type AboutKey = {
  name: string;
  start: string;
  organizationName: string;
  serviceAccountId: string;
  expiresAt: string | null;
};

/** The content of a mail in one language, before it is converted to text and HTML. */
export type MailContent = {
  subject: string;
  paragraphs: string[];
  /** The link of a mail: a button in HTML, a URL in text. `path` is relative to `APP_URL`. */
  action?: { label: string; path: string };
  /** A second link, below the text after the first one. */
  secondAction?: { label: string; path: string };
  /** The paragraphs of a mail below its button. */
  closing?: string[];
};

export type Template<Kind extends keyof MailData> = (data: MailData[Kind]) => Record<Language, MailContent>;
