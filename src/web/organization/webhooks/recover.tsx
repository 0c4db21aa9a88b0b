import { Text, TextInput } from "@mantine/core";
import { useClient } from "../../../client/react.ts";
import { useApiForm } from "../../lib/form.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { localTime } from "../../lib/local-time.ts";
import { deliveryTexts } from "../../texts/webhooks.ts";
import { DialogButton } from "../../ui/dialog.tsx";
import { Form } from "../../ui/form.tsx";

type Props = { readonly endpointId: string; readonly onDone: (text: string) => void };

const DAY_MS = 86_400_000;

export function Recover(props: Props) {
  const texts = useTexts(deliveryTexts);
  return (
    <DialogButton size="xs" label={texts.recover}>
      {(close) => (
        <RecoverForm
          {...props}
          onDone={(text) => {
            close();
            props.onDone(text);
          }}
        />
      )}
    </DialogButton>
  );
}

function RecoverForm({ endpointId: id, onDone }: Props) {
  const texts = useTexts(deliveryTexts);
  const { number } = useFormat();
  const client = useClient();
  const form = useApiForm({
    initialValues: { from: localTime(new Date(Date.now() - DAY_MS)) },
    save: ({ from }, idempotencyKey) =>
      client.request("POST /api/webhooks/endpoints/{id}/recover", {
        path: { id },
        body: { from: from === "" ? "" : new Date(from).toISOString() },
        idempotencyKey,
      }),
    invalidates: ["GET /api/webhooks/endpoints/{id}/deliveries", "GET /api/webhooks/endpoints/{id}"],
    onDone: ({ count }) => onDone(texts.recovered(number(count))),
  });
  return (
    <Form of={form} submit={texts.recover}>
      <Text size="sm">{texts.recoverAbout}</Text>
      <TextInput type="datetime-local" label={texts.since} {...form.field("from")} />
    </Form>
  );
}
