import { Text, TextInput } from "@mantine/core";
import { getRouteApi } from "@tanstack/react-router";
import type { Schemas } from "../../client/index.ts";
import { useFormat } from "../lib/format.ts";
import { useTexts } from "../lib/i18n.tsx";
import { useList } from "../lib/list.ts";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { Page } from "../ui/page.tsx";
import { platformTexts } from "./texts.ts";

const route = getRouteApi("/authenticated/platform/audit");

const startOf = (day: string) => new Date(`${day}T00:00`).toISOString();
const endOf = (day: string) => new Date(`${day}T23:59:59.999`).toISOString();

/** The audit log of all organizations, for platform administrators. */
export function PlatformAudit() {
  const texts = useTexts(platformTexts);
  const { dateTime } = useFormat();
  const { action, from, to } = route.useSearch();
  const list = useList("GET /api/audit-events", {
    order: "desc",
    ...(action && { action: action as never }),
    ...(from && { from: startOf(from) }),
    ...(to && { to: endOf(to) }),
  });
  const columns: Column<Schemas["AuditEvent"]>[] = [
    { key: "time", title: texts.time, render: ({ time }) => dateTime(time) },
    { key: "action", title: texts.action, render: (event) => sentenceOf(event.action) },
    {
      key: "actor",
      title: texts.actor,
      render: ({ actor, serviceAccount }) => actor?.email ?? serviceAccount?.name ?? texts.nobody,
    },
    { key: "details", title: texts.detailsOf, render: (event) => <Details event={event} /> },
    { key: "ip", title: texts.address, render: ({ ip }) => ip },
  ];
  return (
    <Page title={texts.auditLog} about={texts.auditAbout}>
      <DataTable
        label={texts.auditLog}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        searchable
        filters={
          <>
            <TextInput
              type="date"
              label={texts.from}
              value={from ?? ""}
              onChange={({ currentTarget: { value } }) => list.show({ from: value })}
            />
            <TextInput
              type="date"
              label={texts.to}
              value={to ?? ""}
              onChange={({ currentTarget: { value } }) => list.show({ to: value })}
            />
          </>
        }
      />
    </Page>
  );
}

/** Returns "Member roles changed" for `MEMBER_ROLES_CHANGED`: actions are shown in English, as in exports. */
function sentenceOf(action: string): string {
  const words = action.toLowerCase().replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function Details({ event: { metadata } }: { event: Schemas["AuditEvent"] }) {
  const entries = Object.entries(metadata ?? {});
  return entries.map(([name, value]) => (
    <Text key={name} size="xs" className="audit-detail">
      <Text span c="dimmed" size="xs">
        {name}:
      </Text>{" "}
      {plain(value)}
    </Text>
  ));
}

function plain(value: unknown): string {
  if (value === null || value === undefined) return "–";
  if (Array.isArray(value)) return value.map(plain).join(", ") || "–";
  if (typeof value !== "object") return String(value);
  const { name, label } = value as { name?: unknown; label?: unknown };
  return String(name ?? label ?? JSON.stringify(value));
}
