import { Input } from "@mantine/core";
import type { ReactNode } from "react";
import type { Schemas } from "../../../client/index.ts";
import type { FieldProps } from "../../lib/fields.ts";
import { Assignments } from "../shared/assignments.tsx";
import { optionsWith, useRoleOptions } from "../shared/role-fields.tsx";

type Props = FieldProps & {
  /** The name of the field, which begins the paths of its errors. */
  readonly name: string;
  readonly errors: Readonly<Record<string, ReactNode>>;
  readonly label: string;
  readonly description: string;
  /** The present roles. */
  readonly assigned: readonly Schemas["Assignment"][];
};

/** A field for the roles of people without any other role. */
export function DefaultRoles({ name, errors, label, description, assigned, value, onChange }: Props) {
  const options = useRoleOptions();
  return (
    <Input.Wrapper label={label} description={description} labelElement="div">
      <Assignments
        value={value}
        onChange={onChange}
        errorAt={(path) => errors[path.replace("assignments", name)]}
        {...optionsWith(assigned, options)}
        whole
      />
    </Input.Wrapper>
  );
}
