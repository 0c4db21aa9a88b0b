import { Alert, Group, MultiSelect, Stack, Text } from "@mantine/core";
import { getRouteApi } from "@tanstack/react-router";
import { useMemo } from "react";
import type { Schemas } from "../../../client/index.ts";
import { useApiQuery, useCan, useClient } from "../../../client/react.ts";
import { useClaims } from "../../lib/claims.ts";
import { useApiForm } from "../../lib/form.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { memberTexts } from "../../texts/members.ts";
import { uiTexts } from "../../texts/ui.ts";
import { Form } from "../../ui/form.tsx";
import { Hint } from "../../ui/hint.tsx";
import { Section } from "../../ui/page.tsx";
import { Grants } from "../shared/grants.tsx";
import { inputOf, RoleFields, useRoleOptions } from "../shared/role-fields.tsx";
import { useSavedNote } from "../shared/saved.tsx";
import { byId, pathOf } from "../shared/units.ts";
import { MemberFrame } from "./frame.tsx";

const route = getRouteApi("/authenticated/members/$userId");

export function MemberPage() {
  const { userId } = route.useParams();
  return <MemberFrame userId={userId}>{(member) => <RolesAndUnits member={member} />}</MemberFrame>;
}

function RolesAndUnits({ member }: { member: Schemas["Member"] }) {
  const texts = useTexts(memberTexts);
  const { userId: me } = useClaims();
  const mayChangeRoles = useCan("Members.UpdateRoles");
  const mayChangeUnits = useCan("Members.UpdateUnits");
  const roles = useSavedNote();
  const links = useSavedNote();
  const isMe = member.userId === me;
  const { assignments, units } = member;
  // A role in a unit also links the member to the unit. So the form for units is reset when the units change.
  const linked = units.map(({ id }) => id).join();
  return (
    <Stack gap="lg" className="settings">
      <Section title={texts.roles} actions={roles.note}>
        <Hint mb="md">{mayChangeRoles ? texts.rolesAbout : texts.readOnly}</Hint>
        {mayChangeRoles ? (
          <MemberRoles key={roles.version} member={member} isMe={isMe} onSaved={roles.onSaved} />
        ) : (
          <Grants of={assignments} all />
        )}
      </Section>
      <Section title={texts.units} actions={links.note}>
        <Hint mb="md">{mayChangeUnits ? texts.unitsAbout : texts.readOnly}</Hint>
        {mayChangeUnits ? (
          <MemberUnits key={`${links.version} ${linked}`} member={member} onSaved={links.onSaved} />
        ) : (
          <Group gap="xs">
            {units.length === 0 ? texts.noUnits : units.map((unit) => unit.name).join(", ")}
          </Group>
        )}
      </Section>
    </Stack>
  );
}

type Props = { readonly member: Schemas["Member"]; readonly isMe: boolean; readonly onSaved: () => void };

function MemberRoles({ member, isMe, onSaved }: Props) {
  const texts = useTexts(memberTexts);
  const client = useClient();
  const whole = useCan("Members.UpdateRoles", null) === true;
  const { roles, units } = useRoleOptions();
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

function MemberUnits({ member, onSaved }: { member: Schemas["Member"]; onSaved: () => void }) {
  const texts = useTexts(memberTexts);
  const { nothingFound } = useTexts(uiTexts);
  const client = useClient();
  const { data: options = [] } = useApiQuery("GET /api/members/unit-options", {}, { staleTime: 30_000 });
  const { userId, units } = member;
  const form = useApiForm({
    initialValues: { unitIds: units.map(({ id }) => id) },
    save: (body) => client.request("PATCH /api/members/{userId}/units", { path: { userId }, body }),
    invalidates: ["GET /api/members", "GET /api/members/{userId}", "GET /api/units"],
    onDone: onSaved,
    fieldOf: { PERMISSION_NOT_HELD: "unitIds", UNIT_FORBIDDEN: "unitIds" },
  });
  const data = useMemo(() => {
    const known = byId(options);
    // The list includes units that the user may not change, so that existing links are shown.
    const linked = units
      .filter(({ id }) => !known.has(id))
      .map(({ id, name }) => ({ value: id, label: name }));
    return [...linked, ...options.map(({ id }) => ({ value: id, label: pathOf(known, id) }))];
  }, [options, units]);
  return (
    <Form of={form}>
      <MultiSelect
        label={texts.unitsField}
        searchable
        limit={50}
        nothingFoundMessage={nothingFound}
        data={data}
        hidePickedOptions
        {...form.field("unitIds")}
      />
    </Form>
  );
}
