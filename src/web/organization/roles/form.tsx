import { Checkbox, Input, Stack, Text, Textarea, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import type { PermissionName, Schemas } from "../../../client/index.ts";
import { useApiQuery, useClient } from "../../../client/react.ts";
import { useApiForm } from "../../lib/form.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { roleTexts } from "../../texts/roles.ts";
import { Form } from "../../ui/form.tsx";
import { Hint } from "../../ui/hint.tsx";
import { useLabels } from "../../ui/labels.ts";
import { Pending } from "../../ui/pending.tsx";
import { byEntity } from "../shared/permissions.ts";

type Props = {
  /** The role to edit; null to create one. */
  readonly of: Schemas["Role"] | null;
  /** The permissions that a new role begins with. */
  readonly template?: readonly PermissionName[] | undefined;
  readonly isReadOnly?: boolean;
  readonly onSaved: () => void;
  readonly note?: ReactNode;
};

export function RoleForm({ of: role, template = [], isReadOnly = false, onSaved, note }: Props) {
  const texts = useTexts(roleTexts);
  const words = useLabels();
  const { number } = useFormat();
  const client = useClient();
  const query = useApiQuery("GET /api/permissions", {}, { staleTime: Infinity });
  const { data } = query;
  const form = useApiForm({
    isGuarded: true,
    initialValues: {
      name: role?.name ?? "",
      description: role === null ? "" : words.roleAbout(role),
      permissions: [...(role?.permissions ?? template)] as PermissionName[],
    },
    save: (body, idempotencyKey, changed) =>
      role === null
        ? client.request("POST /api/roles", { body, idempotencyKey })
        : client.request("PATCH /api/roles/{id}", { path: { id: role.id }, body: changed }),
    invalidates: ["GET /api/roles", "GET /api/members/role-options"],
    onDone: onSaved,
    fieldOf: { CONFLICT: "name" },
  });
  if (data === undefined || query.error !== null) return <Pending of={query} height={240} />;
  const { permissions } = form.form.values;
  const fields = (
    <Stack>
      {!role?.builtIn && (
        <Stack gap="sm" maw={480}>
          <TextInput label={texts.name} readOnly={isReadOnly} {...form.field("name")} />
          <Textarea label={texts.description} autosize readOnly={isReadOnly} {...form.field("description")} />
        </Stack>
      )}
      {role?.builtIn && <Text>{words.roleAbout(role)}</Text>}
      <div className="permission-groups">
        {byEntity(data).map(([entity, all]) => (
          <Permissions
            key={entity}
            title={words.entity(entity)}
            all={all}
            chosen={permissions}
            isReadOnly={isReadOnly}
            onChange={(next) => form.form.setFieldValue("permissions", next)}
          />
        ))}
      </div>
      {form.form.errors.permissions && <Input.Error>{form.form.errors.permissions}</Input.Error>}
    </Stack>
  );
  if (isReadOnly) return fields;
  return (
    <Form
      of={form}
      isSticky
      actions={
        <>
          <Hint>{texts.count(number(permissions.length))}</Hint>
          {note}
        </>
      }
    >
      {fields}
    </Form>
  );
}

type PermissionsProps = {
  readonly title: string;
  readonly all: readonly Schemas["Permission"][];
  readonly chosen: readonly PermissionName[];
  readonly isReadOnly: boolean;
  readonly onChange: (next: PermissionName[]) => void;
};

function Permissions({ title, all, chosen, isReadOnly, onChange }: PermissionsProps) {
  const texts = useTexts(roleTexts);
  const words = useLabels();
  const client = useClient();
  const mine = all.map(({ name }) => name).filter((name) => client.can(name, null) === true);
  const selected = mine.filter((name) => chosen.includes(name));
  const without = (names: readonly PermissionName[]) => chosen.filter((name) => !names.includes(name));
  return (
    <fieldset className="panel fields">
      <legend>{title}</legend>
      <Stack gap="xs">
        {!isReadOnly && mine.length > 1 && (
          <Checkbox
            label={texts.allOf(title)}
            fw={600}
            checked={selected.length === mine.length}
            indeterminate={selected.length > 0 && selected.length < mine.length}
            onChange={() =>
              onChange(selected.length === mine.length ? without(mine) : [...without(mine), ...mine])
            }
          />
        )}
        {all.map(({ name, scope }) => (
          <Checkbox
            key={name}
            label={words.permission(name)}
            description={scope === "organization" && texts.onlyWhole}
            checked={chosen.includes(name)}
            disabled={isReadOnly || !mine.includes(name)}
            title={isReadOnly || mine.includes(name) ? undefined : texts.notGranted}
            onChange={({ currentTarget: { checked } }) =>
              onChange(checked ? [...chosen, name] : without([name]))
            }
          />
        ))}
      </Stack>
    </fieldset>
  );
}
