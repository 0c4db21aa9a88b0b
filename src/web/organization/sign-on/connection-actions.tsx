import { Button } from "@mantine/core";
import type { Schemas } from "../../../client/index.ts";
import { useClient } from "../../../client/react.ts";
import { useAction } from "../../lib/action.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { connectionPageTexts } from "../../texts/sign-on-connections.ts";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { ErrorAlert } from "../../ui/error-alert.tsx";
import { EditConnection } from "./edit-connection.tsx";
import { useSignOnRights } from "./rights.ts";

/** The data that changes when a connection is turned on or off. */
export const CHANGED = [
  "GET /api/organization/connections",
  "GET /api/organization/connections/{id}",
] as const;

export function ConnectionActions({ of: connection }: { of: Schemas["Connection"] }) {
  const texts = useTexts(connectionPageTexts);
  const client = useClient();
  const { mayUpdate, mayEnd } = useSignOnRights();
  if (!mayEnd) return null;
  const { id, status } = connection;
  return (
    <>
      {mayUpdate && <EditConnection of={connection} />}
      {status === "ENABLED" ? (
        <ConfirmButton
          label={texts.disable}
          question={texts.disableQuestion}
          run={() =>
            client.request("PATCH /api/organization/connections/{id}", {
              path: { id },
              body: { status: "DISABLED" },
            })
          }
          invalidates={CHANGED}
        />
      ) : (
        mayUpdate && <EnableConnection id={id} />
      )}
      <ConfirmButton
        label={texts.remove}
        question={texts.removeQuestion}
        run={() => client.request("DELETE /api/organization/connections/{id}", { path: { id } })}
        leavesTo="/settings/sign-on"
        invalidates={["GET /api/organization/connections", "GET /api/organization/domains"]}
        sentenceOf={{ CONFLICT: texts.removeConflict }}
      />
    </>
  );
}

export function EnableConnection({ id }: { id: string }) {
  const texts = useTexts(connectionPageTexts);
  const client = useClient();
  const enabling = useAction({
    run: () =>
      client.request("PATCH /api/organization/connections/{id}", {
        path: { id },
        body: { status: "ENABLED" },
      }),
    invalidates: CHANGED,
  });
  return (
    <>
      <Button loading={enabling.isRunning} onClick={() => enabling.run()}>
        {texts.enable}
      </Button>
      <ErrorAlert error={enabling.error} />
    </>
  );
}
