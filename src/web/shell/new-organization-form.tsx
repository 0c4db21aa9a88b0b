import { TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useClient } from "../../client/react.ts";
import { useApiForm } from "../lib/form.ts";
import { useTexts } from "../lib/i18n.tsx";
import { menuTexts } from "../texts/shell-menus.ts";
import { Form } from "../ui/form.tsx";

/** The form for creating an organization. Afterwards the session switches to the new organization. */
export default function NewOrganizationForm() {
  const texts = useTexts(menuTexts);
  const client = useClient();
  const navigate = useNavigate();
  const form = useApiForm({
    initialValues: { name: "" },
    async save(body, idempotencyKey) {
      const { id } = await client.request("POST /api/auth/organizations", { body, idempotencyKey });
      // An error of switching is ignored, because the organization has been created already.
      await client.switchOrganization(id).catch(() => {});
    },
    onDone: () => void navigate({ to: "/" }),
    invalidates: ["GET /api/auth/organizations"],
    sentenceOf: { TOO_MANY_REQUESTS: texts.tooManyOrganizations },
  });
  return (
    <Form of={form} submit={texts.create}>
      <TextInput label={texts.organizationName} autoComplete="organization" {...form.field("name")} />
    </Form>
  );
}
