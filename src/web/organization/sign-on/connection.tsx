import { Stack, Text } from "@mantine/core";
import { getRouteApi } from "@tanstack/react-router";
import type { Schemas } from "../../../client/index.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { connectionPageTexts, connectionTexts } from "../../texts/sign-on-connections.ts";
import { Fact } from "../../ui/fact.tsx";
import { Hint } from "../../ui/hint.tsx";
import { Section } from "../../ui/page.tsx";
import { Grants } from "../shared/grants.tsx";
import { useSavedNote } from "../shared/saved.tsx";
import { RedirectAddress, StartAddress } from "./addresses.tsx";
import { ConnectionFrame } from "./connection-frame.tsx";
import { ConnectionState } from "./connection-state.tsx";
import { Entry } from "./entry.tsx";
import { useSignOnRights } from "./rights.ts";
import { TestConnections } from "./test-connections.tsx";

const route = getRouteApi("/authenticated/settings/sign-on/$connectionId");

type Props = { readonly of: Schemas["Connection"] };

/** The page of one connection: its state, its addresses for the provider, and who comes in by it. */
export function ConnectionPage() {
  const texts = useTexts(connectionPageTexts);
  const { connectionId } = route.useParams();
  return (
    <ConnectionFrame connectionId={connectionId}>
      {(connection) => (
        <Stack key={connectionId} gap="lg">
          <State of={connection} />
          <Section title={texts.addresses}>
            <Stack gap="sm" maw={760}>
              <RedirectAddress of={connection} />
              <StartAddress of={connection} />
            </Stack>
          </Section>
          <Section title={texts.test}>
            <TestConnections connections={[connection]} />
          </Section>
          <EntrySection of={connection} />
        </Stack>
      )}
    </ConnectionFrame>
  );
}

function State({ of: connection }: Props) {
  const texts = useTexts(connectionPageTexts);
  const fields = useTexts(connectionTexts);
  const { dateTime, list } = useFormat();
  const { oidc, domains, lastSignInAt } = connection;
  return (
    <Section title={texts.state}>
      <Stack gap="xs">
        <ConnectionState of={connection} />
        <Fact title={fields.issuer}>{oidc.issuer}</Fact>
        <Fact title={fields.clientId}>{oidc.clientId}</Fact>
        <Fact title={texts.domains}>
          {domains.length === 0 ? texts.noDomains : list(domains.map(({ domain }) => domain))}
        </Fact>
        <Fact title={texts.lastSignIn}>{lastSignInAt === null ? texts.never : dateTime(lastSignInAt)}</Fact>
      </Stack>
    </Section>
  );
}

function EntrySection({ of: connection }: Props) {
  const texts = useTexts(connectionPageTexts);
  const { mayUpdate } = useSignOnRights();
  const saved = useSavedNote();
  if (!mayUpdate) return <EntryFacts of={connection} />;
  return (
    <Section title={texts.entry} actions={saved.note}>
      <Entry key={saved.version} of={connection} onSaved={saved.onSaved} />
    </Section>
  );
}

/** Who comes in, for members who may not change it. */
function EntryFacts({ of: { provisioning, secondFactor, defaultAssignments } }: Props) {
  const texts = useTexts(connectionPageTexts);
  return (
    <Section title={texts.entry}>
      <Stack gap="xs">
        <Fact title={texts.provisioning}>{texts[provisioning]}</Fact>
        <Fact title={texts.secondFactor}>{texts[secondFactor]}</Fact>
        <Text size="sm">
          <b>{texts.defaults}</b>
        </Text>
        {defaultAssignments.length === 0 && <Hint>{texts.defaultsAbout}</Hint>}
        <Grants of={defaultAssignments} all />
      </Stack>
    </Section>
  );
}
