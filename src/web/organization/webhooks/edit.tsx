import type { Schemas } from "../../../client/index.ts";
import { useClient } from "../../../client/react.ts";
import { useApiForm } from "../../lib/form.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { DialogButton } from "../../ui/dialog.tsx";
import { ErrorAlert } from "../../ui/error-alert.tsx";
import { Form } from "../../ui/form.tsx";
import { EndpointFields, type EventTypes, useEventTypes } from "./fields.tsx";
import { webhookTexts } from "./texts.ts";

type Props = { readonly of: Schemas["WebhookEndpoint"] };

export function EditEndpoint({ of: endpoint }: Props) {
  const texts = useTexts(webhookTexts);
  return (
    <DialogButton label={texts.edit} title={texts.editTitle}>
      {(close) => <EditForm of={endpoint} onClose={close} />}
    </DialogButton>
  );
}

function EditForm({
  of: { id, url, eventTypes, description },
  onClose,
}: Props & { readonly onClose: () => void }) {
  const client = useClient();
  const { types, error, refetch } = useEventTypes();
  const form = useApiForm({
    initialValues: { url, eventTypes, description },
    save: (_values, _key, { eventTypes, ...rest }) =>
      client.request("PATCH /api/webhooks/endpoints/{id}", {
        path: { id },
        body: { ...rest, ...(eventTypes && { eventTypes: eventTypes as EventTypes }) },
      }),
    invalidates: ["GET /api/webhooks/endpoints", "GET /api/webhooks/endpoints/{id}"],
    onDone: onClose,
  });
  return (
    <Form of={form} onCancel={onClose}>
      <ErrorAlert error={error} onRetry={() => void refetch()} />
      <EndpointFields form={form} types={types} />
    </Form>
  );
}
