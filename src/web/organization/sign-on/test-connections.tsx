import { Button, type ButtonProps, Group, NativeSelect, Stack, Text } from "@mantine/core";
import { useState } from "react";
import type { Schemas } from "../../../client/index.ts";
import { useClient } from "../../../client/react.ts";
import { useAction } from "../../lib/action.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { currentPath, currentSearch } from "../../lib/location.ts";
import { keepTest } from "../../lib/test-page.ts";
import { connectionTestTexts } from "../../texts/sign-on-tests.ts";
import { ErrorAlert } from "../../ui/error-alert.tsx";
import { Hint } from "../../ui/hint.tsx";
import { EnableConnection } from "./connection-actions.tsx";
import { useSignOnRights } from "./rights.ts";
import { TestResult } from "./test-result.tsx";

type Connection = Schemas["Connection"];
type Props = {
  readonly connections: readonly Connection[];
  /** Whether a tested connection can be turned on here. */
  readonly turnsOn?: boolean;
};

/** Reads from the address which test has come back, and of which connection it is. */
function readTest() {
  const { test, connection } = currentSearch();
  return {
    testId: typeof test === "string" ? test : null,
    connectionId: typeof connection === "string" ? connection : null,
  };
}

/** Begins the test of a connection, and shows the result of the one that has come back. */
export function TestConnections({ connections, turnsOn = false }: Props) {
  const texts = useTexts(connectionTestTexts);
  const { mayUpdate } = useSignOnRights();
  const [tested] = useState(readTest);
  const [chosen, setChosen] = useState(tested.connectionId);
  const connection = connections.find(({ id }) => id === chosen) ?? connections[0];
  if (connection === undefined) return <Hint>{texts.first}</Hint>;
  const isTested = tested.testId !== null && connection.id === (tested.connectionId ?? connections[0]?.id);
  return (
    <Stack gap="sm">
      <Hint>{texts.about}</Hint>
      <Group align="flex-end" gap="sm">
        {connections.length > 1 && (
          <NativeSelect
            label={texts.connection}
            data={connections.map(({ id, name }) => ({ value: id, label: name }))}
            value={connection.id}
            onChange={({ currentTarget: { value } }) => setChosen(value)}
          />
        )}
        {mayUpdate && <BeginTest connectionId={connection.id} />}
      </Group>
      {isTested && <TestResult connectionId={connection.id} testId={tested.testId ?? ""} />}
      {turnsOn && mayUpdate && <TurnOn of={connection} />}
    </Stack>
  );
}

/** What to do after a test that passed: a connection that is off can be turned on. */
function TurnOn({ of: { id, status, testedAt } }: { of: Connection }) {
  const texts = useTexts(connectionTestTexts);
  if (status === "ENABLED" || testedAt === null) return null;
  return (
    <>
      <Text size="sm">{texts.enableAbout}</Text>
      <Group>
        <EnableConnection id={id} />
      </Group>
    </>
  );
}

type BeginProps = ButtonProps & { readonly connectionId: string };

/** A button that leads to the provider of a connection for a test, and back to this page with the result. */
export function BeginTest({ connectionId, ...button }: BeginProps) {
  const texts = useTexts(connectionTestTexts);
  const client = useClient();
  const beginning = useAction({
    run: () => client.request("POST /api/organization/connections/{id}/test", { path: { id: connectionId } }),
    onDone({ url }) {
      keepTest(currentPath(), connectionId);
      client.sso.beginTest(url);
    },
  });
  return (
    <>
      <Button {...button} loading={beginning.isRunning} onClick={() => beginning.run()}>
        {texts.test}
      </Button>
      <ErrorAlert error={beginning.error} />
    </>
  );
}
