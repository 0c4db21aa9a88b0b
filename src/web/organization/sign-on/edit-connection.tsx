import type { Schemas } from "../../../client/index.ts";
import { useClient } from "../../../client/react.ts";
import { useApiForm } from "../../lib/form.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { connectionTexts } from "../../texts/sign-on-connections.ts";
import { DialogButton } from "../../ui/dialog.tsx";
import { Form } from "../../ui/form.tsx";
import { ConnectionFields } from "./connection-fields.tsx";
import { changeOf, valuesOf } from "./connection-values.ts";

type Props = { readonly of: Schemas["Connection"] };

export function EditConnection({ of: connection }: Props) {
  const texts = useTexts(connectionTexts);
  return (
    <DialogButton label={texts.edit} title={texts.editTitle}>
      {(close) => <EditForm of={connection} onClose={close} />}
    </DialogButton>
  );
}

function EditForm({ of: connection, onClose }: Props & { readonly onClose: () => void }) {
  const texts = useTexts(connectionTexts);
  const client = useClient();
  const { id, oidc, identityCount } = connection;
  const before = valuesOf(connection);
  const form = useApiForm({
    initialValues: before,
    save: (values) =>
      client.request("PATCH /api/organization/connections/{id}", {
        path: { id },
        body: changeOf(before, values),
      }),
    invalidates: ["GET /api/organization/connections", "GET /api/organization/connections/{id}"],
    sentenceOf: { CONFLICT: texts.editConflict },
    onDone: onClose,
  });
  return (
    <Form of={form} onCancel={onClose}>
      <ConnectionFields
        form={form}
        issuerAbout={texts.otherIssuer}
        secretAbout={oidc.hasClientSecret ? texts.secretKept : texts.secretNone}
        isFixed={identityCount > 0}
      />
    </Form>
  );
}
