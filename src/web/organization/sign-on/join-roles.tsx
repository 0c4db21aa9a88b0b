import { Input } from "@mantine/core";
import type { Schemas } from "../../../client/index.ts";
import { useApiQuery } from "../../../client/react.ts";
import type { ApiForm } from "../../lib/form.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { type AssignmentInput, Assignments } from "../shared/assignments.tsx";
import { optionsWith } from "../shared/role-fields.tsx";
import { domainSettingsTexts } from "./domain-texts.ts";

type Props = {
  readonly of: ApiForm<{
    connectionId: string;
    join: Schemas["Domain"]["join"];
    joinAssignments: AssignmentInput[];
  }>;
  /** The present roles of people who join. */
  readonly assigned: readonly Schemas["Assignment"][];
};

/** The fields for the roles of people who join by a domain. */
export function JoinRoles({ of: { form }, assigned }: Props) {
  const texts = useTexts(domainSettingsTexts);
  const { data: roles = [] } = useApiQuery("GET /api/members/role-options", {}, { staleTime: 30_000 });
  const { data: units = [] } = useApiQuery("GET /api/members/unit-options", {}, { staleTime: 30_000 });
  return (
    <Input.Wrapper label={texts.roles} description={texts.rolesAbout} labelElement="div">
      <Assignments
        value={form.values.joinAssignments}
        onChange={(next) => {
          form.clearErrors();
          form.setFieldValue("joinAssignments", next);
        }}
        errorAt={(path) => form.errors[path.replace("assignments", "joinAssignments")]}
        {...optionsWith(assigned, { roles, units })}
        whole
      />
    </Input.Wrapper>
  );
}
