import { Button } from "@mantine/core";
import { useClient } from "../../../client/react.ts";
import { useAction } from "../../lib/action.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { ErrorAlert } from "../../ui/error-alert.tsx";
import { connectionPageTexts } from "./connection-texts.ts";

/** The data that changes when a connection is turned on or off. */
export const CHANGED = [
  "GET /api/organization/connections",
  "GET /api/organization/connections/{id}",
] as const;

/** A button that turns a connection on: people can sign in by it. */
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
