import { Stack } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { Schemas } from "../../../client/index.ts";
import { useClient } from "../../../client/react.ts";
import { useApiForm } from "../../lib/form.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { webhookTexts } from "../../texts/webhooks.ts";
import { DialogButton } from "../../ui/dialog.tsx";
import { ErrorAlert } from "../../ui/error-alert.tsx";
import { Form } from "../../ui/form.tsx";
import { Page } from "../../ui/page.tsx";
import { ShownOnce } from "../../ui/shown-once.tsx";
import { TextLink } from "../../ui/text-link.tsx";
import { EndpointFields, type EventTypes, useEventTypes } from "./fields.tsx";

/** The form for creating a webhook endpoint. Then shows the endpoint's secret, and opens the page of the endpoint. */
export function NewWebhook() {
  const texts = useTexts(webhookTexts);
  const client = useClient();
  const navigate = useNavigate();
  const [created, setCreated] = useState<Schemas["NewWebhookEndpoint"] | null>(null);
  const { types, error, refetch } = useEventTypes();
  const form = useApiForm({
    initialValues: { url: "", eventTypes: [] as string[], description: "" },
    save: ({ eventTypes, ...rest }, idempotencyKey) =>
      client.request("POST /api/webhooks/endpoints", {
        body: { ...rest, eventTypes: eventTypes as EventTypes },
        idempotencyKey,
      }),
    invalidates: ["GET /api/webhooks/endpoints", "GET /api/organization/billing"],
    onDone: setCreated,
  });
  return (
    <Page title={texts.create}>
      <TextLink to="/webhooks">{texts.back}</TextLink>
      <ErrorAlert error={error} onRetry={() => void refetch()} />
      <Stack maw={760}>
        <Form of={form} submit={texts.create}>
          <EndpointFields form={form} types={types} />
        </Form>
      </Stack>
      <ShownOnce
        texts={texts}
        label={texts.secret}
        secret={created?.secret}
        onKept={() => created && void navigate({ to: `/webhooks/${created.id}` })}
      />
    </Page>
  );
}

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
