import { useState } from "react";
import type { Schemas } from "../../../client/index.ts";
import { useClient } from "../../../client/react.ts";
import { useAction } from "../../lib/action.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { registeredAppTexts } from "../../texts/app-settings.ts";
import { ErrorAlert } from "../error-alert.tsx";
import { RowMenu } from "../row-menu.tsx";
import type { AppEndpoints } from "./endpoints.ts";
import { EditApp, ReplaceSecret } from "./forms.tsx";

type Props = {
  readonly of: Schemas["OAuthClient"];
  readonly endpoints: AppEndpoints;
  readonly onSecret: (secret: string | null) => void;
};

export function AppActions({ of: app, endpoints, onSecret }: Props) {
  const texts = useTexts(registeredAppTexts);
  const client = useClient();
  const [dialog, setDialog] = useState<"edit" | "rotate" | null>(null);
  const close = () => setDialog(null);
  const { id, name, enabled, confidential } = app;
  const invalidates = [endpoints.list];
  const setEnabled = (next: boolean) =>
    client.request(endpoints.update, { path: { id }, body: { enabled: next } });
  const enabling = useAction({ run: () => setEnabled(true), invalidates });
  return (
    <div className="row-actions">
      <ErrorAlert error={enabling.error} />
      <RowMenu
        label={texts.actionsOf(name)}
        actions={[
          { label: texts.edit, onClick: () => setDialog("edit") },
          confidential && { label: texts.rotate, onClick: () => setDialog("rotate") },
          enabled
            ? {
                label: texts.disable,
                confirm: { question: texts.disableQuestion, run: () => setEnabled(false), invalidates },
              }
            : { label: texts.enable, onClick: () => enabling.run() },
          {
            label: texts.remove,
            confirm: {
              question: texts.removeQuestion(name),
              run: () => client.request(endpoints.remove, { path: { id } }),
              invalidates,
            },
          },
        ]}
      >
        <EditApp of={app} endpoints={endpoints} isOpen={dialog === "edit"} onClose={close} />
        <ReplaceSecret
          of={app}
          endpoints={endpoints}
          onReplaced={(secret) => {
            close();
            onSecret(secret);
          }}
          isOpen={dialog === "rotate"}
          onClose={close}
        />
      </RowMenu>
    </div>
  );
}
