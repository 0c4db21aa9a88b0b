import { Badge, Stack, Text } from "@mantine/core";
import { getRouteApi } from "@tanstack/react-router";
import type { Schemas } from "../../../client/index.ts";
import { useApiQuery, useCan, useClient } from "../../../client/react.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { serviceAccountTexts } from "../../texts/service-accounts.ts";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { Hint } from "../../ui/hint.tsx";
import { LinkButton } from "../../ui/link-button.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { PendingPage } from "../../ui/pending.tsx";
import { TextLink } from "../../ui/text-link.tsx";
import { Grants } from "../shared/grants.tsx";
import { useSavedNote } from "../shared/saved.tsx";
import { AccountDetails, AccountRoles } from "./forms.tsx";
import { Keys } from "./keys.tsx";

const route = getRouteApi("/authenticated/service-accounts/$id");

export function ServiceAccountPage() {
  const texts = useTexts(serviceAccountTexts);
  const { id } = route.useParams();
  const query = useApiQuery("GET /api/service-accounts/{id}", { path: { id } });
  if (query.data !== undefined) return <Account key={id} account={query.data} />;
  return <PendingPage title={texts.accounts} of={query} actions={<Back />} />;
}

const Back = () => <TextLink to="/service-accounts">{useTexts(serviceAccountTexts).back}</TextLink>;

function Account({ account }: { account: Schemas["ServiceAccount"] }) {
  const texts = useTexts(serviceAccountTexts);
  const { date } = useFormat();
  const client = useClient();
  const mayUpdate = useCan("ServiceAccounts.Update");
  const mayChangeRoles = useCan("ServiceAccounts.UpdateRoles");
  const mayDelete = useCan("ServiceAccounts.Delete");
  const mayReadAudit = useCan("Audit.Read");
  const details = useSavedNote();
  const roles = useSavedNote();
  const { id, name, description, enabled, assignments, createdBy, createdAt } = account;
  return (
    <Page
      title={name}
      about={
        createdBy === null
          ? texts.created(date(createdAt))
          : texts.createdBy(createdBy.email, date(createdAt))
      }
      actions={
        <>
          {mayReadAudit && (
            <LinkButton variant="default" to="/audit" search={{ actorId: id }}>
              {texts.audit}
            </LinkButton>
          )}
          {mayDelete && (
            <ConfirmButton
              label={texts.remove}
              question={texts.removeQuestion(name)}
              run={() => client.request("DELETE /api/service-accounts/{id}", { path: { id } })}
              leavesTo="/service-accounts"
              invalidates={["GET /api/service-accounts", "GET /api/organization/billing"]}
            />
          )}
        </>
      }
    >
      <Back />
      <Stack gap="lg" className="settings">
        <Section title={texts.details} actions={details.note}>
          {mayUpdate ? (
            <AccountDetails key={details.version} account={account} onSaved={details.onSaved} />
          ) : (
            <Stack gap="xs" align="flex-start">
              <Hint>{texts.readOnly}</Hint>
              {description !== "" && (
                <Text size="sm" className="break">
                  {description}
                </Text>
              )}
              <Badge variant="default">{enabled ? texts.enabled : texts.disabled}</Badge>
            </Stack>
          )}
        </Section>
        <Section title={texts.roles} actions={roles.note}>
          <Hint mb="md">{mayChangeRoles ? texts.rolesAbout : texts.readOnly}</Hint>
          {mayChangeRoles ? (
            <AccountRoles key={roles.version} account={account} onSaved={roles.onSaved} />
          ) : (
            <Grants of={assignments} all />
          )}
        </Section>
        <Keys accountId={id} />
      </Stack>
    </Page>
  );
}
