import { Checkbox, Stack, Textarea, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import type { PermissionName, Schemas } from "../../../client/index.ts";
import { useApiQuery, useCan, useClient } from "../../../client/react.ts";
import { useApiForm } from "../../lib/form.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { serviceAccountTexts } from "../../texts/service-accounts.ts";
import { Form } from "../../ui/form.tsx";
import { Page } from "../../ui/page.tsx";
import { TextLink } from "../../ui/text-link.tsx";
import type { AssignmentInput } from "../shared/assignments.tsx";
import { inputOf, RoleFields } from "../shared/role-fields.tsx";

type Props = { readonly account: Schemas["ServiceAccount"]; readonly onSaved: () => void };

const INVALIDATES = ["GET /api/service-accounts", "GET /api/service-accounts/{id}"] as const;

export function AccountDetails({ account, onSaved }: Props) {
  const texts = useTexts(serviceAccountTexts);
  const client = useClient();
  const { id, name, description, enabled } = account;
  const form = useApiForm({
    initialValues: { name, description, enabled },
    // The field `enabled` is sent only if it was changed: enabling a service account requires more permissions than
    // renaming it.
    save: (values) =>
      client.request("PATCH /api/service-accounts/{id}", {
        path: { id },
        body: {
          name: values.name,
          description: values.description,
          ...(values.enabled !== enabled && { enabled: values.enabled }),
        },
      }),
    invalidates: INVALIDATES,
    onDone: onSaved,
    fieldOf: { CONFLICT: "name" },
  });
  return (
    <Form of={form}>
      <TextInput label={texts.name} {...form.field("name")} />
      <Textarea label={texts.description} autosize {...form.field("description")} />
      <Checkbox
        label={texts.enabled}
        description={texts.enabledAbout}
        {...form.form.getInputProps("enabled", { type: "checkbox" })}
      />
    </Form>
  );
}

export function AccountRoles({ account: { id, assignments }, onSaved }: Props) {
  const client = useClient();
  const options = useOptions("ServiceAccounts.UpdateRoles");
  const form = useApiForm({
    initialValues: { assignments: inputOf(assignments) },
    save: (body) => client.request("PATCH /api/service-accounts/{id}/roles", { path: { id }, body }),
    invalidates: INVALIDATES,
    onDone: onSaved,
  });
  return (
    <Form of={form}>
      <RoleFields of={form} assigned={assignments} {...options} />
    </Form>
  );
}

function useOptions(permission: PermissionName) {
  const whole = useCan(permission, null) === true;
  const fresh = { staleTime: 30_000 };
  const { data: roles = [] } = useApiQuery("GET /api/service-accounts/role-options", {}, fresh);
  const { data: units = [] } = useApiQuery("GET /api/service-accounts/unit-options", {}, fresh);
  return { roles, units, whole };
}

export function NewServiceAccount() {
  const texts = useTexts(serviceAccountTexts);
  const client = useClient();
  const navigate = useNavigate();
  const options = useOptions("ServiceAccounts.Create");
  const form = useApiForm({
    initialValues: {
      name: "",
      description: "",
      assignments: [{ roleId: "", unitId: null }] as AssignmentInput[],
    },
    save: (body, idempotencyKey) => client.request("POST /api/service-accounts", { body, idempotencyKey }),
    invalidates: ["GET /api/service-accounts", "GET /api/organization/billing"],
    onDone: ({ id }) => void navigate({ to: `/service-accounts/${id}` }),
    fieldOf: { CONFLICT: "name" },
  });
  return (
    <Page title={texts.create}>
      <TextLink to="/service-accounts">{texts.back}</TextLink>
      <Stack maw={760}>
        <Form of={form} submit={texts.create}>
          <TextInput label={texts.name} {...form.field("name")} />
          <Textarea label={texts.description} autosize {...form.field("description")} />
          <fieldset className="panel fields">
            <legend>{texts.roles}</legend>
            <RoleFields of={form} assigned={[]} {...options} />
          </fieldset>
        </Form>
      </Stack>
    </Page>
  );
}
