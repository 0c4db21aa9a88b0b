import type { Schemas } from "../../../client/index.ts";
import { useClient } from "../../../client/react.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { connectionPageTexts } from "./connection-texts.ts";
import { EditConnection } from "./edit-connection.tsx";
import { CHANGED, EnableConnection } from "./enable-connection.tsx";
import { useSignOnRights } from "./rights.ts";

/** The buttons that change, turn on, turn off and delete a connection. */
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
