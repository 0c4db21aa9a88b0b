import { useState } from "react";
import type { Schemas } from "../../../client/index.ts";
import { useClient } from "../../../client/react.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { webhookTexts } from "../../texts/webhooks.ts";
import { DialogButton } from "../../ui/dialog.tsx";
import { RotateForm } from "../../ui/rotate-form.tsx";
import { ShownOnce } from "../../ui/shown-once.tsx";

/** A button that opens a dialog for replacing the secret of a webhook endpoint. Then shows the new secret. */
export function RotateSecret({ id }: { id: string }) {
  const texts = useTexts(webhookTexts);
  const client = useClient();
  const [shown, setShown] = useState<Schemas["RotatedWebhookSecret"] | null>(null);
  return (
    <>
      <DialogButton label={texts.rotate}>
        {(close) => (
          <RotateForm
            texts={texts}
            run={(body, idempotencyKey) =>
              client.request("POST /api/webhooks/endpoints/{id}/rotate-secret", {
                path: { id },
                body,
                idempotencyKey,
              })
            }
            invalidates={["GET /api/webhooks/endpoints/{id}"]}
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
