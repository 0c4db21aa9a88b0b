import { Button, Stack, TextInput } from "@mantine/core";
import type { Schemas } from "../../client/index.ts";
import { useClient } from "../../client/session-hooks.ts";
import { useAction } from "../lib/action.ts";
import { useApiForm } from "../lib/form.ts";
import { useFormat } from "../lib/format.ts";
import { useTexts } from "../lib/i18n.tsx";
import { currentHref, openPage } from "../lib/location.ts";
import { announce } from "../lib/notice.ts";
import { accountTexts } from "../texts/account.ts";
import { ErrorAlert } from "../ui/error-alert.tsx";
import { Form, Password } from "../ui/form.tsx";
import { Hint } from "../ui/hint.tsx";
import { Page } from "../ui/page.tsx";
import { PageLink } from "../ui/page-link.tsx";
import { ProviderButtons } from "./provider-buttons.tsx";
import { Username } from "./username.tsx";

type Props = { token: string; invitation: Schemas["InvitationPreview"] };

function Expiry({ at }: { at: string }) {
  const texts = useTexts(accountTexts);
  const { dateTime } = useFormat();
  return <Hint>{texts.expires(dateTime(at))}</Hint>;
}

/**
 * A form that accepts the invitation with a new account, and then signs in with the entered password. A sign-in
 * provider leads back to this page, which then accepts with the account that the provider's sign-in has created.
 */
export function AcceptNew({ token, invitation }: Props) {
  const client = useClient();
  const texts = useTexts(accountTexts);
  const { email, organization, expiresAt } = invitation;
  const form = useApiForm({
    initialValues: { firstName: "", lastName: "", password: "" },
    async save(account) {
      await client.request("POST /api/auth/accept-invitation", { body: { token, ...account } });
      // An error of signing in is not shown here, because the invitation is accepted already.
      await client.signIn({ email, password: account.password }).catch(() => announce("accepted"));
    },
    onDone: () => openPage("/", { replace: true }),
  });
  return (
    <Page key="new" title={texts.invited(organization.name)} about={texts.invitedNew(email)}>
      <Form of={form} submit={texts.createAndJoin} wide>
        <Username email={email} />
        <TextInput label={texts.firstName} autoComplete="given-name" autoFocus {...form.field("firstName")} />
        <TextInput label={texts.lastName} autoComplete="family-name" {...form.field("lastName")} />
        <Password
          label={texts.password}
          description={texts.passwordHint}
          autoComplete="new-password"
          {...form.field("password")}
        />
      </Form>
      <ProviderButtons next={currentHref()} />
      <Expiry at={expiresAt} />
    </Page>
  );
}

/** Accepts the invitation with the signed-in account, and switches to the joined organization. */
export function AcceptAs({ token, invitation, me }: Props & { me: string }) {
  const client = useClient();
  const texts = useTexts(accountTexts);
  const accept = useAction({
    async run() {
      const list = () => client.request("GET /api/auth/organizations");
      const known = new Set((await list()).map(({ id }) => id));
      await client.request("POST /api/auth/accept-invitation", { body: { token } });
      // An error of switching to the organization is ignored, because the user has joined already.
      const joined = (await list().catch(() => [])).find(({ id }) => !known.has(id));
      if (joined !== undefined) await client.switchOrganization(joined.id).catch(() => {});
    },
    invalidates: ["GET /api/auth/organizations"],
    onDone: () => openPage("/", { replace: true }),
  });
  return (
    <Page key="as" title={texts.invited(invitation.organization.name)} about={texts.invitedYou(me)}>
      <Stack>
        <ErrorAlert
          error={accept.error}
          sentenceOf={{
            ALREADY_MEMBER: texts.alreadyMember,
            ORGANIZATION_SUSPENDED: texts.suspendedInvitation,
          }}
        />
        <Button loading={accept.isRunning} onClick={() => accept.run()}>
          {texts.accept}
        </Button>
        <Expiry at={invitation.expiresAt} />
        <PageLink to="/">{texts.toHome}</PageLink>
      </Stack>
    </Page>
  );
}

/**
 * The page of an invitation that was sent to another email than that of the signed-in account. `me` is the
 * signed-in email, or null.
 */
export function SignInFirst({ invitation, me }: Props & { me: string | null }) {
  const client = useClient();
  const texts = useTexts(accountTexts);
  const { email, organization, expiresAt } = invitation;
  // After signing out, this page shows the form for a signed-out user.
  const signOut = useAction({ run: client.signOut });
  return (
    <Page
      key={me ?? "nobody"}
      title={texts.invited(organization.name)}
      about={me === null ? texts.invitedOld(email) : texts.invitedOther(email, me)}
    >
      <Stack>
        <ErrorAlert error={signOut.error} />
        {me === null ? (
          <Button onClick={() => openPage(`/sign-in?${new URLSearchParams({ next: currentHref() })}`)}>
            {texts.signInToAccept}
          </Button>
        ) : (
          <Button loading={signOut.isRunning} onClick={() => signOut.run()}>
            {texts.signOutToGoOn}
          </Button>
        )}
        <Expiry at={expiresAt} />
      </Stack>
    </Page>
  );
}
