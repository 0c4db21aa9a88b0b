import { audit, declared, type PersonalFile, type SignedInCall, transaction } from "#kit";
import { lockUsers, theProduct, type ZipFile } from "#kit/inside";
import {
  type Account,
  assertConfirmationsLeft,
  assertCredentialsGiven,
  assertRecentIfUnproven,
  countConfirmation,
  findAccount,
} from "../../core/accounts/reauthenticate.ts";
import { findOwnAccount, presentUser } from "../../core/accounts/user.ts";
import { listFormerEmails } from "../email-change/request.ts";
import { listIdentities } from "../identities/link.ts";
import { listPasskeys } from "../passkeys/manage.ts";
import { listOwnSessions } from "../sessions/own.ts";
import { beginProof, completeProof, type GivenProof, withKeys } from "../two-factor/prove.ts";
import { getTwoFactor } from "../two-factor/settings.ts";

/**
 * Exports the data that is stored about the caller, as a ZIP archive with a JSON file for each kind of record
 * (rules 9.6). Lists are read while the archive is sent. Small records are read before the response begins, so that
 * a failure or a deleted account results in an error response. If the account is deleted during the download, the
 * archive is completed.
 * @throws unauthenticated, validationFailed, reauthenticationRequired, tooManyRequests, wrongPassword, wrongCode
 */
export async function exportPersonalData(call: SignedInCall, proof: GivenProof): Promise<Response> {
  const account = await reauthenticate(call, proof);
  const once = {
    profile: {
      ...presentUser(await findOwnAccount(call)),
      formerEmails: await listFormerEmails(call),
      hasPassword: account.passwordHash !== null,
      twoFactor: await getTwoFactor(call),
    },
    sessions: await listOwnSessions(call),
    identities: await listIdentities(call),
    passkeys: await listPasskeys(call),
    ...productFile(),
  };
  const files = [
    ...Object.entries(once).map(([name, value]) => ({ name: `${name}.json`, text: whole(value) })),
    // Read while the archive is sent.
    ...Object.entries(declared<PersonalFile>("personalData")).map(([name, { read }]) => ({
      name: `${name}.json`,
      text: read(call.db.lists, { ...account, userId: call.actor.userId }),
    })),
  ] satisfies ZipFile[];
  // The library is loaded here, because exports are rare and the library takes memory.
  const { zipStream } = await import("../../platform/zip.ts");
  const archive = zipStream(files, (err) =>
    call.log.error("export of personal data broke off", { err, requestId: call.requestId }),
  );
  return new Response(archive, {
    headers: {
      "content-type": "application/zip",
      "content-disposition": 'attachment; filename="personal-data.zip"',
      "cache-control": "no-store",
    },
  });
}

/** Checks password and code as for the deletion of the account, and audits the export. */
async function reauthenticate(call: SignedInCall, given: GivenProof): Promise<Account> {
  const { userId } = call.actor;
  const before = await findAccount(call.db, userId);
  assertCredentialsGiven(before, withKeys(given));
  await assertRecentIfUnproven(call, before, given);
  await assertConfirmationsLeft(call);
  await countConfirmation(call);
  const checked = await beginProof(call, before, given);

  return transaction(call, async (tx) => {
    await lockUsers(tx, [userId]);
    const account = await findAccount(tx.db, userId);
    await completeProof(tx, account, { given, checked, purpose: "export", isOlderRoute: true });
    await audit(tx, "PERSONAL_DATA_EXPORTED", { target: { type: "user", id: userId } });
    return account;
  });
}

/** Names the product that may store more about the caller, and exports that itself. */
function productFile() {
  const product = theProduct();
  return product && { product: { name: product.name, url: product.url } };
}

async function* whole(value: unknown): AsyncGenerator<string, void, void> {
  yield `${JSON.stringify(value, null, 2)}\n`;
}
