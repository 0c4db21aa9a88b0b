import { Loader } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { useState } from "react";
import { ClientProvider } from "../../../client/react.ts";
import { useClient, useSession } from "../../../client/session-hooks.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { currentHref } from "../../lib/location.ts";
import { useRequest } from "../../lib/request.ts";
import { authorizeTexts } from "../../texts/authorize.ts";
import { uiTexts } from "../../texts/ui.ts";
import { ErrorAlert } from "../../ui/error-alert.tsx";
import { Page } from "../../ui/page.tsx";
import { ProofDialog } from "../proof-dialog.tsx";
import { RedirectTo } from "../redirect-to.tsx";
import { Consent } from "./consent.tsx";
import { Fault, isFault } from "./fault.tsx";

/**
 * The page `/authorize`, which an app opens to ask for access. Users who are not signed in sign in first, and come back. The
 * query of its address is sent to the API unchanged. This tab keeps it only during a sign-in at a provider.
 */
export function Authorize() {
  const session = useSession();
  const [address] = useState(currentHref);
  const before = (path: string) => <RedirectTo to={`${path}?${new URLSearchParams({ next: address })}`} />;
  if (session.status === "loading") return <Waiting problem={session.problem} />;
  if (session.status === "signed-out") return before("/sign-in");
  if (session.mustEnableTwoFactor) return before("/two-factor");
  // What was shown to one user is nobody else's decision.
  return <SignedIn key={session.userId} query={address.replace(/^[^?]*\??/, "")} />;
}

function SignedIn({ query }: { query: string }) {
  const client = useClient();
  const [queries] = useState(() => new QueryClient());
  return (
    <QueryClientProvider client={queries}>
      <ClientProvider client={client}>
        <ProofDialog />
        <Request query={query} />
      </ClientProvider>
    </QueryClientProvider>
  );
}

function Request({ query }: { query: string }) {
  const client = useClient();
  const { data, error, retry } = useRequest(() => client.authorizations.begin(query));
  if (isFault(error)) return <Fault error={error} />;
  if (data === undefined) return <Waiting problem={error} onRetry={retry} />;
  return <Consent key={data.requestToken} to={data} onReload={retry} />;
}

type WaitingProps = { readonly problem: unknown; readonly onRetry?: () => void };

function Waiting({ problem, onRetry }: WaitingProps) {
  const texts = useTexts(authorizeTexts);
  const { loading } = useTexts(uiTexts);
  return (
    <Page title={texts.title}>
      {problem === null ? (
        <Loader aria-label={loading} />
      ) : (
        <ErrorAlert error={problem} {...(onRetry && { onRetry })} />
      )}
    </Page>
  );
}
