import { Button, Modal, Select } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useState } from "react";
import type { Schemas } from "../../../client/index.ts";
import { useClient } from "../../../client/react.ts";
import { useApiForm } from "../../lib/form.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { Form } from "../../ui/form.tsx";
import { uiTexts } from "../../ui/texts.ts";
import { ShownSecret } from "./shown-secret.tsx";
import { webhookTexts } from "./texts.ts";

type Rotated = Schemas["RotatedWebhookSecret"];

/** A button that opens a dialog for replacing the secret of a webhook endpoint. Then shows the new secret. */
export function RotateSecret({ id }: { id: string }) {
  const texts = useTexts(webhookTexts);
  const { close: closeText } = useTexts(uiTexts);
  const [isOpen, { open, close }] = useDisclosure();
  const [shown, setShown] = useState<Rotated | null>(null);
  const onDone = (rotated: Rotated) => {
    close();
    setShown(rotated);
  };
  return (
    <>
      <Button variant="default" onClick={open}>
        {texts.rotate}
      </Button>
      <Modal
        opened={isOpen}
        onClose={close}
        title={texts.rotate}
        closeButtonProps={{ "aria-label": closeText }}
      >
        <RotateForm id={id} onDone={onDone} />
      </Modal>
      <ShownSecret of={shown} onKept={() => setShown(null)} />
    </>
  );
}

const HOUR = 3600;
const DAY = 24 * HOUR;

function RotateForm({ id, onDone }: { id: string; onDone: (rotated: Rotated) => void }) {
  const texts = useTexts(webhookTexts);
  const client = useClient();
  const form = useApiForm({
    initialValues: { overlapSeconds: String(DAY) },
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
      <Select
        label={texts.overlap}
        allowDeselect={false}
        data={[
          { value: "0", label: texts.atOnce },
          { value: String(HOUR), label: texts.hour },
          { value: String(DAY), label: texts.day },
          { value: String(7 * DAY), label: texts.week },
        ]}
        {...form.field("overlapSeconds")}
      />
    </Form>
  );
}
