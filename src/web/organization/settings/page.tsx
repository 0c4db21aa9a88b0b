import { Select, Stack, TextInput } from "@mantine/core";
import type { Schemas } from "../../../client/index.ts";
import { useApiQuery, useCan, useClient } from "../../../client/react.ts";
import { useApiForm } from "../../lib/form.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { updateSelectedOrganization } from "../../lib/selected-organization.ts";
import { useSettings } from "../../lib/settings.ts";
import { settingsTexts } from "../../texts/settings.ts";
import { Form } from "../../ui/form.tsx";
import { Hint } from "../../ui/hint.tsx";
import { useLabels } from "../../ui/labels.ts";
import { Page, Section } from "../../ui/page.tsx";
import { Pending } from "../../ui/pending.tsx";
import { TextLink } from "../../ui/text-link.tsx";
import { useSavedNote } from "../shared/saved.tsx";

export function Settings() {
  const texts = useTexts(settingsTexts);
  const { date } = useFormat();
  const saved = useSavedNote();
  const query = useApiQuery("GET /api/organization");
  const { data } = query;
  return (
    <Page title={texts.settings}>
      <Pending of={query} height={240} />
      {data !== undefined && (
        <Stack gap="lg" className="settings">
          <Section title={texts.general} actions={saved.note}>
            <SettingsForm key={saved.version} organization={data} onSaved={saved.onSaved} />
          </Section>
          <SignOnLink />
          <AppsLink />
          <Hint>{`${texts.founded} ${date(data.createdAt)}. ${texts.deletion}`}</Hint>
        </Stack>
      )}
    </Page>
  );
}

function SignOnLink() {
  const texts = useTexts(settingsTexts);
  const { data: settings } = useSettings();
  const mayRead = useCan("SingleSignOn.Read");
  if (!settings?.sso || !mayRead) return null;
  return (
    <Section title={texts.signOn}>
      <Hint>{texts.signOnAbout}</Hint>
      <TextLink to="/settings/sign-on">{texts.signOnOpen}</TextLink>
    </Section>
  );
}

function AppsLink() {
  const texts = useTexts(settingsTexts);
  const { data: settings } = useSettings();
  const maySeeApps = useCan("ConnectedApps.Read");
  if (!settings?.oauth) return null;
  return (
    <Section title={texts.apps}>
      <Hint>{texts.appsAbout}</Hint>
      <TextLink to={maySeeApps ? "/settings/apps" : "/settings/apps/rules"}>{texts.appsOpen}</TextLink>
    </Section>
  );
}

const PLATFORM = "platform";

function SettingsForm({
  organization,
  onSaved,
}: {
  organization: Schemas["Organization"];
  onSaved: () => void;
}) {
  const texts = useTexts(settingsTexts);
  const words = useLabels();
  const client = useClient();
  const mayRead = useCan("Roles.Read");
  const { data: roles } = useApiQuery(
    "GET /api/roles",
    { query: { sort: "name" } },
    { enabled: Boolean(mayRead) },
  );
  const { name, slug, defaultRoleId } = organization;
  const form = useApiForm({
    isGuarded: true,
    initialValues: { name, slug, defaultRoleId: defaultRoleId ?? PLATFORM },
    async save(values) {
      // Only changed fields are sent: an unchanged default role may have permissions that the user does not hold.
      const chosen = values.defaultRoleId === PLATFORM ? null : values.defaultRoleId;
      const changed = await client.request("PATCH /api/organization", {
        body: {
          ...(values.name !== name && { name: values.name }),
          ...(values.slug !== slug && { slug: values.slug }),
          ...(chosen !== defaultRoleId && { defaultRoleId: chosen }),
        },
      });
      // Refreshes the access token, which contains the organization's name. The token of a platform administrator
      // does not contain it, so the selected organization is updated.
      await client.refresh();
      updateSelectedOrganization(changed);
    },
    invalidates: ["GET /api/organization", "GET /api/auth/organizations"],
    onDone: onSaved,
    fieldOf: { SLUG_TAKEN: "slug", PERMISSION_NOT_HELD: "defaultRoleId" },
  });
  const options = (roles?.data ?? []).map((role) => ({ value: role.id, label: words.role(role.name) }));
  return (
    <Form of={form}>
      <TextInput label={texts.name} {...form.field("name")} />
      <TextInput label={texts.slug} description={texts.slugAbout} {...form.field("slug")} />
      {mayRead && (
        <Select
          label={texts.defaultRole}
          description={texts.defaultRoleAbout}
          searchable
          allowDeselect={false}
          data={[{ value: PLATFORM, label: texts.platformDefault }, ...options]}
          {...form.field("defaultRoleId")}
        />
      )}
    </Form>
  );
}
