import { Stack, Text, TextInput } from "@mantine/core";
import { useApiQuery, useCan, useClient } from "../../../client/react.ts";
import { useApiForm } from "../../lib/form.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { appSettingsTexts } from "../../texts/app-settings.ts";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { Form } from "../../ui/form.tsx";
import { Hint } from "../../ui/hint.tsx";
import { Section } from "../../ui/page.tsx";
import { Pending } from "../../ui/pending.tsx";

const LIST = "GET /api/organization/approved-apps" as const;

/** The apps that the organization has approved, and those that the operator has, with a form that approves one. */
export function ApprovedApps() {
  const texts = useTexts(appSettingsTexts);
  const mayUpdate = useCan("Organization.Update");
  const query = useApiQuery(LIST);
  const { data } = query;
  const isEmpty = data?.data.length === 0 && data.operator.length === 0;
  return (
    <Section title={texts.approvedApps}>
      <Hint mb="sm">{texts.approvedAppsAbout}</Hint>
      <Stack gap="md">
        <Pending of={query} height={80} />
        <div tabIndex={-1} data-keeps-focus>
          {isEmpty && <Text size="sm">{texts.noApproved}</Text>}
          {data !== undefined && !isEmpty && (
            <ul className="plain-list rows" aria-label={texts.approvedList}>
              {data.data.map(({ id, app }) => (
                <li key={id}>
                  <Text size="sm">{app}</Text>
                  {mayUpdate && <Remove id={id} app={app} />}
                </li>
              ))}
              {data.operator.map((app) => (
                <li key={app}>
                  <Text size="sm">{app}</Text>
                  <Hint size="xs">{texts.byOperator}</Hint>
                </li>
              ))}
            </ul>
          )}
        </div>
        {mayUpdate && <Approve />}
      </Stack>
    </Section>
  );
}

function Approve() {
  const texts = useTexts(appSettingsTexts);
  const client = useClient();
  const form = useApiForm({
    initialValues: { app: "" },
    save: ({ app }, idempotencyKey) =>
      client.request("POST /api/organization/approved-apps", { body: { app: app.trim() }, idempotencyKey }),
    invalidates: [LIST],
    onDone: () => form.form.reset(),
    fieldOf: { CONFLICT: "app" },
    sentenceOf: { CONFLICT: texts.exists },
  });
  return (
    <Form of={form} submit={texts.approve}>
      <TextInput
        label={texts.appField}
        description={texts.appFieldAbout}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        {...form.field("app")}
      />
    </Form>
  );
}

function Remove({ id, app }: { id: string; app: string }) {
  const texts = useTexts(appSettingsTexts);
  const client = useClient();
  return (
    <ConfirmButton
      label={texts.removeApproval}
      aria-label={texts.removeApprovalOf(app)}
      size="compact-sm"
      question={texts.removeApprovalQuestion}
      run={() => client.request("DELETE /api/organization/approved-apps/{id}", { path: { id } })}
      invalidates={[LIST, "GET /api/organization/connected-apps"]}
    />
  );
}
