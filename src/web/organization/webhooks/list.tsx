import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { Schemas } from "../../../client/index.ts";
import { useCan } from "../../../client/react.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { useList } from "../../lib/list.ts";
import { webhookTexts } from "../../texts/webhooks.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { LinkButton } from "../../ui/link-button.tsx";
import { Page } from "../../ui/page.tsx";
import { TextLink } from "../../ui/text-link.tsx";
import { State } from "./state.tsx";
import { WebhookTabs } from "./tabs.tsx";

export function Webhooks() {
  const texts = useTexts(webhookTexts);
  const { dateTime, number } = useFormat();
  const mayCreate = useCan("Webhooks.Create");
  const list = useList("GET /api/webhooks/endpoints", { sort: "createdAt", order: "desc" });
  const columns: Column<Schemas["WebhookEndpoint"]>[] = [
    {
      title: texts.url,
      render: ({ id, url }) => (
        <TextLink to={`/webhooks/${id}`} className="break">
          {url}
        </TextLink>
      ),
    },
    { title: texts.state, render: (endpoint) => <State of={endpoint} /> },
    {
      title: texts.failing,
      render: ({ failingSince }) => (failingSince === null ? "–" : dateTime(failingSince)),
    },
    { title: texts.pending, render: ({ pendingCount }) => number(pendingCount) },
  ];
  const create = mayCreate && <LinkButton to="/webhooks/new">{texts.create}</LinkButton>;
  return (
    <Page title={texts.webhooks} about={texts.about} actions={create}>
      <WebhookTabs />
      <DataTable
        label={texts.webhooks}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        empty={
          <EmptyState icon="webhook" text={texts.none}>
            {mayCreate && (
              <Button variant="default" component={Link} to="/webhooks/new">
                {texts.createFirst}
              </Button>
            )}
          </EmptyState>
        }
        searchable
      />
    </Page>
  );
}
