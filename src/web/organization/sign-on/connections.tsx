import { Group, Stack, Text } from "@mantine/core";
import type { Schemas } from "../../../client/index.ts";
import { useApiQuery } from "../../../client/react.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { connectionPageTexts, connectionTexts } from "../../texts/sign-on-connections.ts";
import { connectionTestTexts } from "../../texts/sign-on-tests.ts";
import { Hint } from "../../ui/hint.tsx";
import { Pending } from "../../ui/pending.tsx";
import { TextLink } from "../../ui/text-link.tsx";
import { RedirectAddress } from "./addresses.tsx";
import { ConnectionState } from "./connection-state.tsx";
import { EditConnection } from "./edit-connection.tsx";
import { NewConnection } from "./new-connection.tsx";
import { useSignOnRights } from "./rights.ts";
import { SetupLinks } from "./setup-links.tsx";
import { Step } from "./step.tsx";
import { TestConnections } from "./test-connections.tsx";

type Props = {
  /** Whether a setup link shows this: it may make, change and test drafts, and nothing else. */
  readonly reduced?: boolean;
};

/** Steps 2 and 3 of single sign-on: the connections with identity providers, and their tests. */
export function Connections({ reduced = false }: Props) {
  const texts = useTexts(connectionTexts);
  const words = useTexts(connectionTestTexts);
  const { mayUpdate } = useSignOnRights();
  const query = useApiQuery("GET /api/organization/connections");
  const { data } = query;
  return (
    <>
      <Step title={texts.step2} isDone={data?.data.some(({ domains }) => reduced || domains.length > 0)}>
        <Stack gap="sm">
          <Hint>{texts.about}</Hint>
          <Pending of={query} height={60} />
          {data?.data.length === 0 && <Text size="sm">{texts.none}</Text>}
          {data !== undefined && data.data.length > 0 && (
            <Stack component="ul" gap="md" className="plain-list" aria-label={texts.connections}>
              {data.data.map((connection) => (
                <li key={connection.id}>{reduced ? <Draft of={connection} /> : <Line of={connection} />}</li>
              ))}
            </Stack>
          )}
          {mayUpdate && (
            <Group>
              <NewConnection />
            </Group>
          )}
        </Stack>
      </Step>
      {!reduced && <SetupLinks />}
      <Step title={words.step3} isDone={data?.data.some(({ testedAt }) => testedAt !== null)}>
        {data !== undefined && <TestConnections connections={data.data} turnsOn={!reduced} />}
      </Step>
    </>
  );
}

type ItemProps = { readonly of: Schemas["Connection"] };

function Line({ of: connection }: ItemProps) {
  const texts = useTexts(connectionPageTexts);
  const { id, name, oidc, domains } = connection;
  return (
    <>
      <TextLink to={`/settings/sign-on/${id}`} className="break" fw={500}>
        {name}
      </TextLink>
      <Hint className="break">{oidc.issuer}</Hint>
      <ConnectionState of={connection} />
      {domains.length === 0 && <Text size="sm">{texts.noDomains}</Text>}
    </>
  );
}

/** A draft with everything that a setup link can do with it, because there is no page of its own. */
function Draft({ of: connection }: ItemProps) {
  const { name, oidc } = connection;
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Text size="sm" fw={500} className="break">
          {name}
        </Text>
        <EditConnection of={connection} />
      </Group>
      <Hint className="break">{oidc.issuer}</Hint>
      <ConnectionState of={connection} />
      <RedirectAddress of={connection} />
    </Stack>
  );
}
