import { type Language, notifyAll, type Permission, type Tx } from "#kit";
import { type NotificationData, type NotificationType, toAccount } from "#kit/inside";
import { listHolders } from "../../core/accounts/memberships.ts";

type Holders = { organizationId: string; permission: Permission; except?: string };

/**
 * Notifies the oldest members who hold a permission for the whole organization, in the application and by mail.
 * @param send queues the mail to one of these members
 * @param mayMail whether mails may be sent now, beside the notifications
 */
export async function tellHolders<Type extends NotificationType>(
  tx: Tx,
  { organizationId, permission, except }: Holders,
  [type, data]: [Type, NotificationData[Type]],
  send: (to: { to: string; language: Language }, organizationName: string) => Promise<void>,
  mayMail: () => Promise<boolean> = async () => true,
): Promise<void> {
  const holders = (await listHolders(tx, organizationId, permission)).filter(({ id }) => id !== except);
  const ids = holders.map(({ id }) => id);
  await notifyAll(tx, ids, type, data);
  if (!(await mayMail())) return;
  for (const holder of holders) await send(toAccount(holder), holder.organizationName);
}
