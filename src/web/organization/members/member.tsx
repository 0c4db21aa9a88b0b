import { Anchor, Button, Group, Skeleton, Text } from "@mantine/core";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import type { Schemas } from "../../../client/index.ts";
import { useApiQuery, useCan, useClient, useSession } from "../../../client/react.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { ErrorAlert } from "../../ui/error-alert.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { Grants } from "../shared/grants.tsx";
import { Guard } from "../shared/guard.tsx";
import { useSavedNote } from "../shared/saved.tsx";
import { MemberRoles } from "./roles.tsx";
import { memberTexts } from "./texts.ts";
import { MemberUnits } from "./units.tsx";

const route = getRouteApi("/authenticated/members/$userId");

/** The page of one member: roles, units, and removal. */
export function MemberPage() {
  const texts = useTexts(memberTexts);
  return (
    <Guard title={texts.members} needs="Members.Read">
      <MemberContent />
    </Guard>
  );
}

function MemberContent() {
  const texts = useTexts(memberTexts);
  const { userId } = route.useParams();
  const { data, error, refetch } = useApiQuery("GET /api/members/{userId}", { path: { userId } });
  if (data !== undefined) return <MemberDetails member={data} />;
  return (
    <Page title={texts.members}>
      {error === null ? <Skeleton height={200} /> : <ErrorAlert error={error} onRetry={() => refetch()} />}
      <Back />
    </Page>
  );
}

const Back = () => (
  <Anchor component={Link} to="/members" size="sm">
    {useTexts(memberTexts).back}
  </Anchor>
);

function MemberDetails({ member }: { member: Schemas["Member"] }) {
  const texts = useTexts(memberTexts);
  const { date } = useFormat();
  const client = useClient();
  const session = useSession();
  const navigate = useNavigate();
  const mayChangeRoles = useCan("Members.UpdateRoles");
  const mayChangeUnits = useCan("Members.UpdateUnits");
  const mayRemove = useCan("Members.Delete");
  const roles = useSavedNote();
  const links = useSavedNote();
  const isMe = session.status === "signed-in" && session.userId === member.userId;
  const { userId, email, joinedAt, assignments, units } = member;
  const name = `${member.firstName} ${member.lastName}`;
  // A role in a unit also links the member to the unit. So the form for units is reset when the units change.
  const linked = units.map(({ id }) => id).join();
  return (
    <Page
      title={name}
      about={`${email} · ${texts.joined} ${date(joinedAt)}`}
      actions={
        <>
          <Button variant="default" component={Link} to={`/members/${userId}/access`}>
            {texts.access}
          </Button>
          {mayRemove && !isMe && (
            <ConfirmButton
              label={texts.remove}
              question={texts.removeQuestion(name)}
              run={async () => {
                await client.request("DELETE /api/members/{userId}", { path: { userId } });
                // Leaves the page first: otherwise its queries would be refetched and would not find the removed
                // member.
                await navigate({ to: "/members" });
              }}
              invalidates={["GET /api/members", "GET /api/units", "GET /api/organization/billing"]}
            />
          )}
        </>
      }
    >
      <Back />
      <Section title={texts.roles} actions={roles.note}>
        <Text size="sm" c="dimmed" mb="md">
          {mayChangeRoles ? texts.rolesAbout : texts.readOnly}
        </Text>
        {mayChangeRoles ? (
          <MemberRoles key={roles.version} member={member} isMe={isMe} onSaved={roles.onSaved} />
        ) : (
          <Grants of={assignments} all />
        )}
      </Section>
      <Section title={texts.units} actions={links.note}>
        <Text size="sm" c="dimmed" mb="md">
          {mayChangeUnits ? texts.unitsAbout : texts.readOnly}
        </Text>
        {mayChangeUnits ? (
          <MemberUnits key={`${links.version} ${linked}`} member={member} onSaved={links.onSaved} />
        ) : (
          <Group gap="xs">
            {units.length === 0 ? texts.noUnits : units.map((unit) => unit.name).join(", ")}
          </Group>
        )}
      </Section>
    </Page>
  );
}
