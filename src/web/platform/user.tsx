import { Group, List, Stack, Text } from "@mantine/core";
import { getRouteApi } from "@tanstack/react-router";
import type { Schemas } from "../../client/index.ts";
import { useApiQuery, useClient } from "../../client/react.ts";
import { useClaims } from "../lib/claims.ts";
import { useFormat } from "../lib/format.ts";
import { useTexts } from "../lib/i18n.tsx";
import { platformTexts } from "../texts/platform.ts";
import { EmptyState } from "../ui/empty-state.tsx";
import { ErrorAlert } from "../ui/error-alert.tsx";
import { Page, Section } from "../ui/page.tsx";
import { PendingPage } from "../ui/pending.tsx";
import { TextLink } from "../ui/text-link.tsx";
import { ConfirmRow } from "./actions.tsx";
import { UserBadges } from "./users.tsx";

const route = getRouteApi("/authenticated/platform/users/$id");

const STALE = ["GET /api/users/{id}", "GET /api/users"] as const;

export function User() {
  const texts = useTexts(platformTexts);
  const { date } = useFormat();
  const { id } = route.useParams();
  const query = useApiQuery("GET /api/users/{id}", { path: { id } });
  const { data: user, error } = query;
  if (user === undefined) return <PendingPage title={texts.user} of={query} />;
  const about = (
    <Group component="span" gap="xs">
      {texts.userFacts(user.email, date(user.createdAt))}
      <UserBadges user={user} />
    </Group>
  );
  return (
    <Page title={`${user.firstName} ${user.lastName}`} about={about}>
      <ErrorAlert error={error} />
      <Stack gap="lg" className="settings">
        <Section title={texts.organizations}>
          {user.organizations.length === 0 ? (
            <EmptyState text={texts.noOrganizations} />
          ) : (
            <List listStyleType="none" size="sm">
              {user.organizations.map(({ id: organization, name }) => (
                <List.Item key={organization}>
                  <TextLink size="md" to={`/platform/organizations/${organization}`}>
                    {name}
                  </TextLink>
                </List.Item>
              ))}
            </List>
          )}
        </Section>
        <Access user={user} />
      </Stack>
    </Page>
  );
}

function Access({ user }: { user: Schemas["PlatformUser"] }) {
  const texts = useTexts(platformTexts);
  const client = useClient();
  const { userId } = useClaims();
  const { id, email, isPlatformAdmin } = user;
  const isSelf = userId === id;
  const path = { id };
  return (
    <Section title={texts.access}>
      {isSelf && (
        <Text size="sm" mb="sm">
          {texts.thatIsYou}
        </Text>
      )}
      <div className="rows">
        <ConfirmRow
          label={texts.endSessions}
          question={texts.endSessionsQuestion(email)}
          run={() => client.request("DELETE /api/users/{id}/sessions", { path })}
          invalidates={STALE}
        />
        {!isSelf && user.twoFactorEnabled && (
          <ConfirmRow
            label={texts.resetTwoFactor}
            question={texts.resetTwoFactorQuestion(email)}
            run={() => client.request("DELETE /api/users/{id}/2fa", { path })}
            invalidates={STALE}
          />
        )}
        {!isSelf && (
          <>
            <ConfirmRow
              variant={isPlatformAdmin ? "outline" : "default"}
              label={isPlatformAdmin ? texts.demote : texts.promote}
              question={isPlatformAdmin ? texts.demoteQuestion(email) : texts.promoteQuestion(email)}
              run={() =>
                client.request("PATCH /api/users/{id}", {
                  path,
                  body: { isPlatformAdmin: !isPlatformAdmin },
                })
              }
              invalidates={STALE}
            />
            <ConfirmRow
              label={texts.deleteUser}
              sentenceOf={{ CONFLICT: texts.subscriptionRenews }}
              question={texts.deleteUserQuestion(email)}
              run={() => client.request("DELETE /api/users/{id}", { path })}
              invalidates={["GET /api/users"]}
              leavesTo="/platform/users"
            />
          </>
        )}
      </div>
    </Section>
  );
}
