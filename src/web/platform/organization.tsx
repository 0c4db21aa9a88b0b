import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import type { Schemas } from "../../client/index.ts";
import { useApiQuery, useClient } from "../../client/react.ts";
import { useAction } from "../lib/action.ts";
import { capitalized } from "../lib/capitalized.ts";
import { useApiForm } from "../lib/form.ts";
import { useFormat } from "../lib/format.ts";
import { useTexts } from "../lib/i18n.tsx";
import { selectOrganization, updateSelectedOrganization } from "../lib/selected-organization.ts";
import { platformTexts } from "../texts/platform.ts";
import { ErrorAlert } from "../ui/error-alert.tsx";
import { Form } from "../ui/form.tsx";
import { Page, Section } from "../ui/page.tsx";
import { PendingPage } from "../ui/pending.tsx";
import { ActionRow, ConfirmRow } from "./actions.tsx";
import { OrganizationBadge } from "./organizations.tsx";

const route = getRouteApi("/authenticated/platform/organizations/$id");

type Row = Schemas["PlatformOrganization"];

const STALE = ["GET /api/organizations/{id}", "GET /api/organizations"] as const;

export function Organization() {
  const texts = useTexts(platformTexts);
  const { date, number } = useFormat();
  const { id } = route.useParams();
  const query = useApiQuery("GET /api/organizations/{id}", { path: { id } });
  const { data, error } = query;
  useEffect(() => data && updateSelectedOrganization(data), [data]);
  if (data === undefined) return <PendingPage title={texts.organization} of={query} />;
  const about = (
    <Group component="span" gap="xs">
      <OrganizationBadge status={data.status} />
      {texts.organizationFacts(number(data.memberCount), date(data.createdAt))}
    </Group>
  );
  return (
    <Page title={data.name} about={about} actions={<Act organization={data} />} key={id}>
      <ErrorAlert error={error} />
      <Stack gap="lg" className="settings">
        <Details organization={data} />
        <Plan organization={data} />
        <Danger organization={data} />
      </Stack>
    </Page>
  );
}

/** Selects the organization: from then on, all pages show it as its administrators see it. */
function Act({ organization: { id, name, slug } }: { organization: Row }) {
  const texts = useTexts(platformTexts);
  const navigate = useNavigate();
  return (
    <Button
      onClick={() => {
        selectOrganization({ id, name, slug });
        void navigate({ to: "/" });
      }}
    >
      {texts.selectOrganization}
    </Button>
  );
}

function Details({ organization: { id, name, slug } }: { organization: Row }) {
  const texts = useTexts(platformTexts);
  const client = useClient();
  const form = useApiForm({
    initialValues: { name, slug },
    save: (body) => client.request("PATCH /api/organizations/{id}", { path: { id }, body }),
    fieldOf: { SLUG_TAKEN: "slug" },
    invalidates: STALE,
  });
  return (
    <Section title={texts.details}>
      <Form of={form}>
        <TextInput label={texts.name} maxLength={100} {...form.field("name")} />
        <TextInput label={texts.slug} maxLength={63} {...form.field("slug")} />
      </Form>
    </Section>
  );
}

function Plan({ organization: { id, plan } }: { organization: Row }) {
  const texts = useTexts(platformTexts);
  const client = useClient();
  const { data: billing } = useApiQuery("GET /api/organization/billing", {
    headers: { "X-Organization-Id": id },
  });
  const isOverridden = plan?.source === "override";
  const form = useApiForm({
    initialValues: { planOverride: isOverridden ? plan.key : "" },
    save: ({ planOverride }) =>
      client.request("PATCH /api/organizations/{id}/plan", {
        path: { id },
        body: { planOverride: planOverride.trim() || null },
      }),
    invalidates: [...STALE, "GET /api/organization/billing"],
  });
  if (plan === null) return null;
  return (
    <Section title={texts.plan}>
      <Text size="sm" mb="sm">
        {texts.planFacts(capitalized(plan.key), texts[`source_${plan.source}`])}
      </Text>
      <Form of={form}>
        <TextInput
          label={texts.override}
          description={texts.overrideAbout(billing?.plans.map(({ key }) => key).join(", ") || "…")}
          list="plans"
          maxLength={63}
          {...form.field("planOverride")}
        />
        <datalist id="plans">
          {billing?.plans.map(({ key, name }) => (
            <option key={key} value={key} label={name} />
          ))}
        </datalist>
      </Form>
    </Section>
  );
}

function Danger({ organization: { id, name, status } }: { organization: Row }) {
  const texts = useTexts(platformTexts);
  const client = useClient();
  const setStatus = (next: Row["status"]) =>
    client.request("PATCH /api/organizations/{id}/status", { path: { id }, body: { status: next } });
  const activate = useAction({ run: () => setStatus("ACTIVE"), invalidates: STALE });
  return (
    <Section title={texts.statusAndDeletion}>
      <div className="rows">
        {status === "ACTIVE" ? (
          <ConfirmRow
            label={texts.suspend}
            question={texts.suspendQuestion(name)}
            run={() => setStatus("SUSPENDED")}
            invalidates={STALE}
          />
        ) : (
          <ActionRow about={texts.activateAbout}>
            <Button variant="default" loading={activate.isRunning} onClick={() => activate.run()}>
              {texts.activate}
            </Button>
          </ActionRow>
        )}
        <ConfirmRow
          label={texts.deleteOrganization}
          question={texts.deleteOrganizationQuestion(name)}
          run={() => client.request("DELETE /api/organizations/{id}", { path: { id } })}
          invalidates={["GET /api/organizations"]}
          leavesTo="/platform/organizations"
        />
      </div>
      <ErrorAlert error={activate.error} />
    </Section>
  );
}
