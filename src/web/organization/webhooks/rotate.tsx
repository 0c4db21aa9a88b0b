import { useState } from "react";
import type { Schemas } from "../../../client/index.ts";
import { useClient } from "../../../client/react.ts";
import { useApiForm } from "../../lib/form.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { webhookTexts } from "../../texts/webhooks.ts";
import { DialogButton } from "../../ui/dialog.tsx";
import { Form } from "../../ui/form.tsx";
import { DEFAULT_OVERLAP, Overlap } from "../../ui/overlap.tsx";
import { ShownOnce } from "../../ui/shown-once.tsx";

type Rotated = Schemas["RotatedWebhookSecret"];

/** A button that opens a dialog for replacing the secret of a webhook endpoint. Then shows the new secret. */
export function RotateSecret({ id }: { id: string }) {
  const texts = useTexts(webhookTexts);
  const [shown, setShown] = useState<Rotated | null>(null);
  return (
    <>
      <DialogButton label={texts.rotate}>
        {(close) => (
          <RotateForm
            id={id}
            onDone={(rotated) => {
              close();
              setShown(rotated);
            }}
          />
        )}
      </DialogButton>
      <ShownOnce texts={texts} label={texts.secret} secret={shown?.secret} onKept={() => setShown(null)} />
    </>
  );
}

function RotateForm({ id, onDone }: { id: string; onDone: (rotated: Rotated) => void }) {
  const texts = useTexts(webhookTexts);
  const client = useClient();
  const form = useApiForm({
    initialValues: { overlapSeconds: DEFAULT_OVERLAP },
    save: ({ overlapSeconds }, idempotencyKey) =>
      client.request("POST /api/webhooks/endpoints/{id}/rotate-secret", {
        path: { id },
        body: { overlapSeconds: Number(overlapSeconds) },
        idempotencyKey,
      }),
    invalidates: ["GET /api/webhooks/endpoints/{id}"],
    onDone,
  });
  return (
    <Form of={form} submit={texts.rotate}>
      <Overlap label={texts.overlap} {...form.field("overlapSeconds")} />
    </Form>
  );
}
