import { keepPreviousData } from "@tanstack/react-query";
import { useState } from "react";
import type { Schemas } from "../../../client/index.ts";
import { useApiQuery, useClient } from "../../../client/react.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { type List, PAGE_SIZE } from "../../lib/list.ts";
import { groupTexts } from "../../texts/sign-on-groups.ts";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Hint } from "../../ui/hint.tsx";
import { useLabels } from "../../ui/labels.ts";
import { Section } from "../../ui/page.tsx";
import { Grants } from "../shared/grants.tsx";
import { MAPPED, MapGroup } from "./map-group.tsx";
import { useSignOnRights } from "./rights.ts";

type Mapping = Schemas["SsoMapping"];
type Props = { readonly connectionId: string };

/** The groups that give roles, each with its role and its place. */
export function Mappings({ connectionId }: Props) {
  const texts = useTexts(groupTexts);
  const { mayUpdate, mayEnd } = useSignOnRights();
  const list = useMappings(connectionId);
  const columns: Column<Mapping>[] = [
    { title: texts.group, render: ({ group }) => <span className="break">{group}</span> },
    {
      title: texts.role,
      render: ({ role, unit }) => <Grants of={[{ role, unit, source: "sso" }]} />,
    },
    {
      title: "",
      render: (mapping) => mayEnd && <Remove mapping={mapping} />,
    },
  ];
  return (
    <Section
      title={texts.mappings}
      actions={mayUpdate && <MapGroup connectionId={connectionId} label={texts.map} />}
    >
      <Hint mb="sm">{texts.mappingsAbout}</Hint>
      <div tabIndex={-1} data-keeps-focus>
        <DataTable
          label={texts.mappingsList}
          list={list}
          columns={columns}
          rowKey={({ id }) => id}
          empty={<EmptyState icon="key" text={texts.noMappings} />}
        />
      </div>
    </Section>
  );
}

/** The mappings of a connection. The page in the address is that of the other list, so that of this one is kept here. */
function useMappings(connectionId: string): List<Mapping> {
  const [page, setPage] = useState(1);
  const { data, error, isFetching, refetch } = useApiQuery(
    "GET /api/organization/mappings",
    { query: { connectionId: [connectionId], page, pageSize: PAGE_SIZE } },
    { placeholderData: keepPreviousData },
  );
  return {
    rows: data?.data,
    total: data?.total ?? 0,
    search: { page },
    error,
    isFetching,
    retry: () => void refetch(),
    all: async () => data?.data ?? [],
    show: (change) => setPage(change.page ?? 1),
  };
}

function Remove({ mapping: { id, group, role, unit } }: { mapping: Mapping }) {
  const texts = useTexts(groupTexts);
  const words = useLabels();
  const client = useClient();
  return (
    <ConfirmButton
      label={texts.remove}
      aria-label={texts.removeOf(group, words.grant(role.name, unit?.name ?? null))}
      size="compact-sm"
      question={texts.removeQuestion}
      run={() => client.request("DELETE /api/organization/mappings/{id}", { path: { id } })}
      invalidates={MAPPED}
    />
  );
}
