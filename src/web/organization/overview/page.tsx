import { Badge, Group, List, Text } from "@mantine/core";
import { useApiQuery, useCan, useSession } from "../../../client/react.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { overviewTexts } from "../../texts/overview.ts";
import { ErrorAlert } from "../../ui/error-alert.tsx";
import { Hint } from "../../ui/hint.tsx";
import { useLabels } from "../../ui/labels.ts";
import { LinkButton } from "../../ui/link-button.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { Pending } from "../../ui/pending.tsx";
import { TextLink } from "../../ui/text-link.tsx";
import { Limits } from "../shared/limits.tsx";
import { Leave } from "./leave.tsx";

/** The overview of the organization. Shows the parts that the user may read. */
export function Overview() {
  const texts = useTexts(overviewTexts);
  const { date } = useFormat();
  const maySeePlan = useCan("Billing.Read", null);
  const maySeeMembers = useCan("Members.Read");
  const maySeeInvitations = useCan("Invitations.Read");
  const mayInvite = useCan("Invitations.Create");
  const { data, error, refetch } = useApiQuery("GET /api/organization");
  const invite = mayInvite && <LinkButton to="/invitations/new">{texts.invite}</LinkButton>;
  return (
    <Page
      title={data?.name ?? texts.organization}
      about={data && `${data.slug} · ${texts.since(date(data.createdAt))}`}
      actions={invite}
    >
      <ErrorAlert error={error} onRetry={() => refetch()} />
      <div className="cards cards-wide">
        {maySeePlan && <Plan />}
        {maySeeMembers && <Newest />}
        {maySeeInvitations && <Invitations />}
        <YourRoles />
      </div>
      <Leave />
    </Page>
  );
}

function YourRoles() {
  const texts = useTexts(overviewTexts);
  const words = useLabels();
  const session = useSession();
  if (session.status !== "signed-in" || session.isPlatformAdmin) return null;
  const { roles, unitGrants } = session;
  const isInUnits = unitGrants === null || unitGrants.length > 0;
  return (
    <Section title={texts.yourRoles}>
      {roles.length === 0 && !isInUnits && <Text size="sm">{texts.noRoles}</Text>}
      <Group gap="xs">
        {roles.map((role) => (
          <Badge key={role} variant="default" tt="none" fw={500}>
            {words.role(role)}
          </Badge>
        ))}
        {isInUnits && <Text size="sm">{texts.inUnits}</Text>}
      </Group>
    </Section>
  );
}

function Plan() {
  const texts = useTexts(overviewTexts);
  const query = useApiQuery("GET /api/organization/billing");
  const { data } = query;
  if (data !== undefined && !data.enabled) return null;
  return (
    <Section title={data?.plan ? `${texts.plan}: ${data.plan.name}` : texts.plan}>
      <Pending of={query} height={120} />
      {data !== undefined && <Limits of={data.limits} />}
      <TextLink to="/billing" mt="sm" display="block">
        {texts.toBilling}
      </TextLink>
    </Section>
  );
}

function Newest() {
  const texts = useTexts(overviewTexts);
  const { ago, number } = useFormat();
  const query = useApiQuery("GET /api/members", {
    query: { pageSize: 5, sort: "joinedAt", order: "desc" },
  });
  const { data } = query;
  return (
    <Section title={data === undefined ? texts.members : `${texts.members}: ${number(data.total)}`}>
      <Pending of={query} height={120} />
      {data !== undefined && (
        <>
          <Hint mb={4}>{texts.newest}</Hint>
          <List listStyleType="none" spacing={4} size="sm">
            {data.data.map(({ userId, firstName, lastName, joinedAt }) => (
              <List.Item key={userId}>
                <TextLink to={`/members/${userId}`} c="inherit" className="break">
                  {`${firstName} ${lastName}`}
                </TextLink>{" "}
                <Text span size="xs" c="dimmed">
                  {ago(joinedAt)}
                </Text>
              </List.Item>
            ))}
          </List>
        </>
      )}
      <TextLink to="/members" mt="sm" display="block">
        {texts.toMembers}
      </TextLink>
    </Section>
  );
}

function Invitations() {
  const texts = useTexts(overviewTexts);
  const { number } = useFormat();
  const query = useApiQuery("GET /api/members/invitations", { query: { pageSize: 5 } });
  const { data } = query;
  return (
    <Section title={data === undefined ? texts.invitations : `${texts.invitations}: ${number(data.total)}`}>
      <Pending of={query} height={60} />
      <List listStyleType="none" spacing={4} size="sm">
        {data?.data.map(({ id, email }) => (
          <List.Item key={id} className="break">
            {email}
          </List.Item>
        ))}
      </List>
      <TextLink to="/invitations" mt="sm" display="block">
        {texts.toInvitations}
      </TextLink>
    </Section>
  );
}
