import { Button, Group, Loader } from "@mantine/core";
import { useEffect, useRef } from "react";
import { useClient, useSession } from "../../client/session-hooks.ts";
import { useTexts } from "../lib/i18n.tsx";
import { useRequest } from "../lib/request.ts";
import { accountTexts } from "../texts/account.ts";
import { ErrorAlert } from "../ui/error-alert.tsx";
import { Page } from "../ui/page.tsx";
import { PageLink } from "../ui/page-link.tsx";

/**
 * The page `/sso/:id`, at which a sign-in by a connection begins: the address for the tile of a provider. It begins at once, and asks
 * first if somebody is signed in, because another person may be signed in at the provider.
 */
export function Sso() {
  const client = useClient();
  const session = useSession();
  const texts = useTexts(accountTexts);
  const connectionId = location.pathname.split("/").at(-1) ?? "";
  const isSignedIn = session.status === "signed-in";
  const { data: profile, error, retry } = useRequest(() => client.request("GET /api/profile"), isSignedIn);
  const begun = useRef(false);
  useEffect(() => {
    if (session.status !== "signed-out" || begun.current) return;
    begun.current = true;
    client.sso.begin(connectionId);
  }, [session.status, client, connectionId]);
  if (!isSignedIn || profile === undefined)
    return (
      <Page title={texts.ssoTitle}>
        {error === null ? (
          <Loader aria-label={texts.oneMoment} />
        ) : (
          <ErrorAlert error={error} onRetry={retry} />
        )}
      </Page>
    );
  return (
    <Page title={texts.ssoTitle} about={texts.ssoOther(profile.email)}>
      <Group justify="space-between">
        <PageLink to="/">{texts.ssoStay}</PageLink>
        <Button onClick={() => client.sso.begin(connectionId)}>{texts.ssoContinue}</Button>
      </Group>
    </Page>
  );
}
