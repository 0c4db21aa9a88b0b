import { Anchor, Button, Group, Stack, Text } from "@mantine/core";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { ApiError, type Schemas } from "../../../client/index.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { useList } from "../../lib/list.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { EmptyState, Page } from "../../ui/page.tsx";
import { Guard } from "../shared/guard.tsx";
import { EventDialog } from "./event.tsx";
import { Export } from "./export.tsx";
import { type AuditFilters, Filters } from "./filters.tsx";
import { Histogram } from "./histogram.tsx";
import { useNames } from "./names.ts";
import { auditTexts } from "./texts.ts";
import { useEventLabels } from "./words.ts";

const route = getRouteApi("/authenticated/audit");

type Event = Schemas["AuditEvent"];

/** The audit log of the organization; its filters are in the URL. */
export function AuditLog() {
  const texts = useTexts(auditTexts);
  return (
    <Guard title={texts.audit} needs="Audit.Read">
      <Log />
    </Guard>
  );
}

function Log() {
  const texts = useTexts(auditTexts);
  const { dateTime } = useFormat();
  const filters = useFilters();
  const list = useList("GET /api/organization/audit-events", { sort: "time", order: "desc", ...filters });
  const words = useEventLabels(useNames(list.rows ?? []));
  const [shown, setShown] = useState<Event | null>(null);
  const columns: Column<Event>[] = [
    {
      key: "time",
      title: texts.time,
      sort: "time",
      render: ({ time }) => (
        <Text size="sm" className="nowrap">
          {dateTime(time)}
        </Text>
      ),
    },
    {
      key: "what",
      title: texts.what,
      render: (event) => (
        <What title={words.title(event)} lines={[words.target(event), ...words.details(event)]} />
      ),
    },
    {
      key: "actor",
      title: texts.actor,
      render: ({ actor, serviceAccount }) => {
        const name = actor?.email ?? serviceAccount?.name ?? texts.system;
        return (
          <div className="person">
            <Avatar name={name.split("@")[0] ?? name} id={actor?.id ?? name} />
            <span className="break">{name}</span>
          </div>
        );
      },
    },
    {
      key: "details",
      title: texts.details,
      render: (event) => (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`${texts.details}: ${words.title(event)}, ${dateTime(event.time)}`}
          onClick={() => setShown(event)}
        >
          {texts.details}
        </Button>
      ),
    },
  ];
  const isMissing = list.error instanceof ApiError && list.error.code === "PLAN_FEATURE_REQUIRED";
  if (isMissing)
    return (
      <Page title={texts.audit}>
        <EmptyState text={texts.notInPlan}>
          <Anchor component={Link} to="/billing">
            {texts.toBilling}
          </Anchor>
        </EmptyState>
      </Page>
    );
  return (
    <Page title={texts.audit} about={texts.about} actions={<Export filters={filters} search={list.search} />}>
      <Histogram filters={filters} search={list.search.search} onSelect={list.show} />
      <DataTable
        label={texts.audit}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        empty={<EmptyState text={Object.keys(filters).length === 0 ? texts.noneYet : texts.none} />}
        searchable
        searchPlaceholder={texts.searchHint}
        filters={<Filters filters={filters} onChange={list.show} />}
      />
      <EventDialog event={shown} words={words} onClose={() => setShown(null)} onFilter={list.show} />
    </Page>
  );
}

function useFilters(): AuditFilters {
  const { action, actorId, targetType, targetId, from, to } = route.useSearch() as AuditFilters;
  const all = { action, actorId, targetType, targetId, from, to };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

function What({ title, lines }: { title: string; lines: (string | null)[] }) {
  return (
    <Stack gap={0}>
      <Group gap="xs">
        <Text size="sm" fw={600}>
          {title}
        </Text>
      </Group>
      {lines
        .filter((line) => line !== null)
        .map((line) => (
          <Text key={line} size="sm" c="dimmed" className="break" lineClamp={2}>
            {line}
          </Text>
        ))}
    </Stack>
  );
}
