import { Group, Stack } from "@mantine/core";
import { getRouteApi } from "@tanstack/react-router";
import type { Schemas } from "../../../client/index.ts";
import { useCan, useSession } from "../../../client/react.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { Hint } from "../../ui/hint.tsx";
import { Section } from "../../ui/page.tsx";
import { Grants } from "../shared/grants.tsx";
import { useSavedNote } from "../shared/saved.tsx";
import { MemberFrame } from "./frame.tsx";
import { MemberRoles } from "./roles.tsx";
import { memberTexts } from "./texts.ts";
import { MemberUnits } from "./units.tsx";

const route = getRouteApi("/authenticated/members/$userId");

export function MemberPage() {
  const { userId } = route.useParams();
  return <MemberFrame userId={userId}>{(member) => <RolesAndUnits member={member} />}</MemberFrame>;
}

function RolesAndUnits({ member }: { member: Schemas["Member"] }) {
  const texts = useTexts(memberTexts);
  const session = useSession();
  const mayChangeRoles = useCan("Members.UpdateRoles");
  const mayChangeUnits = useCan("Members.UpdateUnits");
  const roles = useSavedNote();
  const links = useSavedNote();
  const isMe = session.status === "signed-in" && session.userId === member.userId;
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
