import { Alert, Text } from "@mantine/core";
import type { Schemas } from "../../../client/index.ts";
import { useApiQuery, useCan, useClient } from "../../../client/react.ts";
import { useApiForm } from "../../lib/form.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { Form } from "../../ui/form.tsx";
import { inputOf, RoleFields } from "../shared/role-fields.tsx";
import { memberTexts } from "./texts.ts";

type Props = { readonly member: Schemas["Member"]; readonly isMe: boolean; readonly onSaved: () => void };

export function MemberRoles({ member, isMe, onSaved }: Props) {
  const texts = useTexts(memberTexts);
  const client = useClient();
  const whole = useCan("Members.UpdateRoles", null) === true;
  const { data: roles = [] } = useApiQuery("GET /api/members/role-options", {}, { staleTime: 30_000 });
  const { data: units = [] } = useApiQuery("GET /api/members/unit-options", {}, { staleTime: 30_000 });
  const { userId, assignments } = member;
  const form = useApiForm({
    // Roles by a group of the organization's sign-in are not changed here.
    initialValues: { assignments: inputOf(assignments.filter(({ source }) => source === "manual")) },
    save: async (body) => {
      await client.request("PATCH /api/members/{userId}/roles", { path: { userId }, body });
      // If users change their own roles, the access token is refreshed, because it contains the permissions.
      if (isMe) await client.refresh();
    },
    invalidates: ["GET /api/members", "GET /api/members/{userId}", "GET /api/units"],
    onDone: onSaved,
    fieldOf: { LAST_ADMIN: "assignments", CONFLICT: "assignments" },
  });
  return (
    <Form of={form}>
      {isMe && form.form.isDirty() && (
        <Alert color="yellow" variant="outline">
          <Text size="sm">{texts.ownRoles}</Text>
        </Alert>
      )}
      <RoleFields of={form} assigned={assignments} roles={roles} units={units} whole={whole} />
    </Form>
  );
}
