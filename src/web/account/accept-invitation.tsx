import { Loader } from "@mantine/core";
import { ApiError } from "../../client/index.ts";
import { useClient, useSession } from "../../client/session-hooks.ts";
import { useTexts } from "../lib/i18n.tsx";
import { currentSearch } from "../lib/location.ts";
import { useRequest } from "../lib/request.ts";
import { accountTexts } from "../texts/account.ts";
import { ErrorAlert } from "../ui/error-alert.tsx";
import { Page } from "../ui/page.tsx";
import { PageLink } from "../ui/page-link.tsx";
import { AcceptAs, AcceptNew, SignInFirst } from "./accept-forms.tsx";
import { tokenOf } from "./search.ts";

export function AcceptInvitation() {
  const { token } = tokenOf(currentSearch());
  const client = useClient();
  const texts = useTexts(accountTexts);
  const session = useSession();
  const isUser = session.status === "signed-in";
  const preview = useRequest(() => client.request("GET /api/auth/invitation", { query: { token } }));
  const profile = useRequest(() => client.request("GET /api/profile"), isUser);
  const { data: invitation, error } = preview;

  const code = error instanceof ApiError ? error.code : null;
  if (code === "INVALID_OR_EXPIRED_TOKEN" || code === "VALIDATION_FAILED")
    return <Dead title={texts.dead} about={isUser ? texts.deadInvitationMember : texts.deadInvitation} />;
  if (code === "EMAIL_UNAVAILABLE") return <Dead title={texts.invitation} about={texts.unavailable} />;
  // Without a session the profile is not requested. An earlier error of that request must then be ignored.
  const problem = error ?? (isUser ? profile.error : null);
  if (problem !== null)
    return (
      <Page key="problem" title={texts.invitation}>
        <ErrorAlert error={problem} onRetry={(error ? preview : profile).retry} />
      </Page>
    );
  if (invitation === undefined || session.status === "loading" || (isUser && profile.data === undefined))
    return (
      <Page key="loading" title={texts.invitation}>
        <Loader aria-label={texts.oneMoment} />
      </Page>
    );

  const me = isUser ? (profile.data?.email ?? null) : null;
  if (me !== null && me === invitation.email)
    return <AcceptAs token={token} invitation={invitation} me={me} />;
  if (me !== null || invitation.accountExists)
    return <SignInFirst token={token} invitation={invitation} me={me} />;
  return <AcceptNew token={token} invitation={invitation} />;
}

function Dead({ title, about }: { title: string; about: string }) {
  const texts = useTexts(accountTexts);
  return (
    <Page key="dead" title={title} about={about}>
      <PageLink to="/">{texts.toHome}</PageLink>
    </Page>
  );
}
