import { getRouteApi } from "@tanstack/react-router";
import type { Schemas } from "../../../client/index.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { useList } from "../../lib/list.ts";
import { connectionPageTexts } from "../../texts/sign-on-connections.ts";
import { groupTexts } from "../../texts/sign-on-groups.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Section } from "../../ui/page.tsx";
import { ConnectionFrame } from "./connection-frame.tsx";
import { MapGroup } from "./map-group.tsx";
import { Mappings } from "./mappings.tsx";
import { useSignOnRights } from "./rights.ts";

const route = getRouteApi("/authenticated/settings/sign-on/$connectionId/groups");

/** The page for the groups of a connection: which of them give roles, and which were seen at sign-ins. */
export function ConnectionGroups() {
  const texts = useTexts(connectionPageTexts);
  const { connectionId } = route.useParams();
  return (
    <ConnectionFrame connectionId={connectionId} part={texts.groups}>
      {({ id }) => (
        <>
          <Mappings connectionId={id} />
          <SeenGroups connectionId={id} />
        </>
      )}
    </ConnectionFrame>
  );
}

function SeenGroups({ connectionId }: { connectionId: string }) {
  const texts = useTexts(groupTexts);
  const { number } = useFormat();
  const { mayUpdate } = useSignOnRights();
  const list = useList(
    "GET /api/organization/connections/{id}/groups",
    { sort: "group" },
    { path: { id: connectionId } },
  );
  const columns: Column<Schemas["SsoGroup"]>[] = [
    { title: texts.group, sort: "group", render: ({ group }) => <span className="break">{group}</span> },
    { title: texts.people, sort: "people", render: ({ people }) => number(people) },
    { title: texts.mapped, render: ({ mappings }) => number(mappings) },
    {
      title: "",
      render: ({ group }) =>
        mayUpdate && (
          <MapGroup
            connectionId={connectionId}
            group={group}
            label={texts.mapGroup}
            size="compact-sm"
            aria-label={texts.mapOf(group)}
          />
        ),
    },
  ];
  return (
    <Section title={texts.seen}>
      <DataTable
        label={texts.seenList}
        list={list}
        columns={columns}
        rowKey={({ group }) => group}
        empty={<EmptyState icon="people" text={texts.noneSeen} />}
        searchable
      />
    </Section>
  );
}
