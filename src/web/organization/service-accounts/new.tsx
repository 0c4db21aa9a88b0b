import { Stack, Textarea, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useClient } from "../../../client/react.ts";
import { useApiForm } from "../../lib/form.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { Form } from "../../ui/form.tsx";
import { Page } from "../../ui/page.tsx";
import { TextLink } from "../../ui/text-link.tsx";
import type { AssignmentInput } from "../shared/assignments.tsx";
import { RoleFields } from "../shared/role-fields.tsx";
import { accountTexts } from "./texts.ts";
import { useOptions } from "./use-options.ts";

export function NewServiceAccount() {
  const texts = useTexts(accountTexts);
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
