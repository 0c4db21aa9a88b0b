import { Button, Group, Loader, Stack, Text } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { ApiError, type Schemas } from "../../../client/index.ts";
import { ClientProvider } from "../../../client/react.ts";
import { useClient } from "../../../client/session-hooks.ts";
import { Invalidation, useAction } from "../../lib/action.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { invalidate } from "../../lib/invalidate.ts";
import { useRequest } from "../../lib/request.ts";
import { setupTexts } from "../../texts/sign-on.ts";
import { DialogButton } from "../../ui/dialog.tsx";
import { ErrorAlert } from "../../ui/error-alert.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { Connections } from "./connections.tsx";
import { Domains } from "./domains.tsx";
import { clientOfLink, forgetToken, takeToken } from "./setup-link.ts";

/**
 * The page that a mailed setup link opens: an administrator of DNS or of the identity provider sets them up without an account. Its
 * steps are those of the organization's own page.
 */
export function SignOnSetup() {
  const page = useClient();
  const [token] = useState(takeToken);
  const client = useMemo(() => clientOfLink(page, token), [page, token]);
  const [queries] = useState(() => new QueryClient({ defaultOptions: { queries: { staleTime: 5_000 } } }));
  return (
    <QueryClientProvider client={queries}>
      <ClientProvider client={client}>
        <Invalidation value={(endpoints) => invalidate(queries, endpoints)}>
          <Setup />
        </Invalidation>
      </ClientProvider>
    </QueryClientProvider>
  );
}

function Setup() {
  const texts = useTexts(setupTexts);
  const client = useClient();
  const { data, error, retry } = useRequest(() => client.request("GET /api/auth/sign-on-setup"));
  const [isFinished, setFinished] = useState(false);
  if (isFinished) return <Page key="finished" title={texts.finished} about={texts.finishedAbout} />;
  if (error instanceof ApiError && (error.status === 401 || error.status === 404)) return <Ended />;
  if (data === undefined)
    return (
      <Page key="loading" title={texts.title}>
        {error === null ? <Loader aria-label={texts.title} /> : <ErrorAlert error={error} onRetry={retry} />}
      </Page>
    );
  return <Steps of={data} onFinished={() => setFinished(true)} />;
}

/** Nothing of a link that has ended stays in the tab. */
function Ended() {
  const texts = useTexts(setupTexts);
  useEffect(forgetToken, []);
  return <Page key="ended" title={texts.ended} about={texts.endedAbout} />;
}

function Steps({ of: setup, onFinished }: { of: Schemas["SignOnSetup"]; onFinished: () => void }) {
  const texts = useTexts(setupTexts);
  const { dateTime } = useFormat();
  const { organization, what, expiresAt } = setup;
  return (
    <div className="wide-page">
      <Page
        key="steps"
        title={texts.titleOf(organization.name)}
        about={texts.about(organization.name, dateTime(expiresAt))}
      >
        {what.includes("domains") && <Domains reduced />}
        {what.includes("connection") && <Connections reduced />}
        <Section title={texts.finish}>
          <Stack align="flex-start" gap="sm">
            <Text size="sm">{texts.finishAbout(organization.name)}</Text>
            <DialogButton label={texts.finish} variant="filled">
              {(close) => <Finish onFinished={onFinished} onCancel={close} />}
            </DialogButton>
          </Stack>
        </Section>
      </Page>
    </div>
  );
}

/** Asks before the link ends. */
function Finish({ onFinished, onCancel }: { onFinished: () => void; onCancel: () => void }) {
  const texts = useTexts(setupTexts);
  const client = useClient();
  const finishing = useAction({
    run: () => client.request("POST /api/auth/sign-on-setup/finish"),
    onDone() {
      forgetToken();
      onFinished();
    },
  });
  return (
    <Stack>
      <Text>{texts.finishQuestion}</Text>
      <ErrorAlert error={finishing.error} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onCancel}>
          {texts.goOn}
        </Button>
        <Button loading={finishing.isRunning} onClick={() => finishing.run()}>
          {texts.finish}
        </Button>
      </Group>
    </Stack>
  );
}
