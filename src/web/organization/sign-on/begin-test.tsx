import { Button, type ButtonProps } from "@mantine/core";
import { useClient } from "../../../client/react.ts";
import { useAction } from "../../lib/action.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { currentPath } from "../../lib/location.ts";
import { keepTest } from "../../lib/test-page.ts";
import { ErrorAlert } from "../../ui/error-alert.tsx";
import { connectionTestTexts } from "./connection-texts.ts";

type Props = ButtonProps & { readonly connectionId: string };

/** A button that leads to the provider of a connection for a test, and back to this page with the result. */
export function BeginTest({ connectionId, ...button }: Props) {
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
