import { Input, NativeSelect } from "@mantine/core";
import type { Schemas } from "../../../client/index.ts";
import { useApiQuery, useClient } from "../../../client/react.ts";
import { useApiForm } from "../../lib/form.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { Form } from "../../ui/form.tsx";
import { Assignments } from "../shared/assignments.tsx";
import { inputOf, optionsWith } from "../shared/role-fields.tsx";
import { connectionPageTexts } from "./connection-texts.ts";
import { CHANGED } from "./enable-connection.tsx";

type Props = { readonly of: Schemas["Connection"]; readonly onSaved: () => void };

const KEPT = { staleTime: 30_000 };

/** The form for who comes in by a connection, with which roles, and whether the provider's second factor counts. */
export function Entry({ of: connection, onSaved }: Props) {
  const texts = useTexts(connectionPageTexts);
  const client = useClient();
  const { data: roles = [] } = useApiQuery("GET /api/members/role-options", {}, KEPT);
  const { data: units = [] } = useApiQuery("GET /api/members/unit-options", {}, KEPT);
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
      <Input.Wrapper label={texts.defaults} description={texts.defaultsAbout} labelElement="div">
        <Assignments
          value={form.form.values.defaultAssignments}
          onChange={(next) => form.form.setFieldValue("defaultAssignments", next)}
          errorAt={(path) => form.form.errors[path.replace("assignments", "defaultAssignments")]}
          {...optionsWith(defaultAssignments, { roles, units })}
          whole
        />
      </Input.Wrapper>
    </Form>
  );
}
