import { Loader } from "@mantine/core";
import { useSearch } from "@tanstack/react-router";
import { useApiQuery, useSession } from "../../client/react.ts";
import { useTexts } from "../lib/i18n.tsx";
import { ErrorAlert } from "../ui/error-alert.tsx";
import { Page } from "../ui/page.tsx";
import { AcceptAs, AcceptNew, SignInFirst } from "./accept-forms.tsx";
import { PageLink } from "./page-link.tsx";
import { accountTexts } from "./texts.ts";

/**
 * The page that invitation mails link to. Accepts the invitation with a new account, or with the account that it was
 * sent to.
 */
export function AcceptInvitation() {
  const { token } = useSearch({ from: "/public/accept-invitation" });
  const texts = useTexts(accountTexts);
  const session = useSession();
  const isUser = session.status === "signed-in";
  const preview = useApiQuery("GET /api/auth/invitation", { query: { token } }, { staleTime: Infinity });
  const profile = useApiQuery("GET /api/profile", {}, { enabled: isUser });
  const { data: invitation, error } = preview;

  if (error?.code === "INVALID_OR_EXPIRED_TOKEN" || error?.code === "VALIDATION_FAILED")
    return <Dead title={texts.dead} about={texts.deadInvitation} />;
  if (error?.code === "EMAIL_UNAVAILABLE") return <Dead title={texts.invitation} about={texts.unavailable} />;
  // Without a session the profile is not requested. An earlier error of that request must then be ignored.
  const problem = error ?? (isUser ? profile.error : null);
  if (problem !== null)
    return (
      <Page key="problem" title={texts.invitation}>
        <ErrorAlert error={problem} onRetry={() => void (error ? preview : profile).refetch()} />
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
