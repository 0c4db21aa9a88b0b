import { NativeSelect } from "@mantine/core";
import type { Schemas } from "../../../client/index.ts";
import { useClient } from "../../../client/react.ts";
import { useApiForm } from "../../lib/form.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { connectionPageTexts } from "../../texts/sign-on-connections.ts";
import { Form } from "../../ui/form.tsx";
import { inputOf } from "../shared/role-fields.tsx";
import { CHANGED } from "./connection-actions.tsx";
import { DefaultRoles } from "./default-roles.tsx";

type Props = { readonly of: Schemas["Connection"]; readonly onSaved: () => void };

/** The form for who comes in by a connection, with which roles, and whether the provider's second factor counts. */
export function Entry({ of: connection, onSaved }: Props) {
  const texts = useTexts(connectionPageTexts);
  const client = useClient();
  const { id, provisioning, secondFactor, defaultAssignments } = connection;
  const form = useApiForm({
    initialValues: { provisioning, secondFactor, defaultAssignments: inputOf(defaultAssignments) },
    save: (_values, _key, changed) =>
      client.request("PATCH /api/organization/connections/{id}", { path: { id }, body: changed }),
    invalidates: CHANGED,
    fieldOf: { PERMISSION_NOT_HELD: "defaultAssignments", UNIT_FORBIDDEN: "defaultAssignments" },
    onDone: onSaved,
  });
  const options = (values: readonly ("none" | "jit" | "own" | "trusted")[]) =>
    values.map((value) => ({ value, label: texts[value] }));
  return (
    <Form of={form}>
      <NativeSelect
        label={texts.provisioning}
        data={options(["none", "jit"])}
        {...form.field("provisioning")}
      />
      <NativeSelect
        label={texts.secondFactor}
        data={options(["own", "trusted"])}
        {...form.field("secondFactor")}
      />
      <DefaultRoles
        name="defaultAssignments"
        label={texts.defaults}
        description={texts.defaultsAbout}
        assigned={defaultAssignments}
        errors={form.form.errors}
        {...form.field("defaultAssignments")}
      />
    </Form>
  );
}
