import { Button, Group, Paper, Text } from "@mantine/core";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { useApiQuery, useCan, useClient } from "../../../client/react.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { unitTexts } from "../../texts/units.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { LinkButton } from "../../ui/link-button.tsx";
import { Page } from "../../ui/page.tsx";
import { Pending } from "../../ui/pending.tsx";
import { SearchInput } from "../../ui/search-field.tsx";
import { byId, pathTo } from "../shared/units.ts";
import { type UnitAction, UnitDialog } from "./dialog.tsx";
import { MoveNotice, useMove } from "./move.tsx";
import { UnitPanel } from "./panel.tsx";
import { Refusal } from "./refusal.tsx";
import { rowsOf, type Unit } from "./rows.ts";
import { UnitTabs } from "./tabs.tsx";
import { UnitTree } from "./tree.tsx";

const route = getRouteApi("/authenticated/units");

export function Units() {
  const texts = useTexts(unitTexts);
  const mayCreate = useCan("Units.Create", null) === true;
  const [dialog, openDialog] = useState<UnitAction | null>(null);
  const query = useApiQuery("GET /api/units");
  const mayImport = Boolean(useCan("Units.Create"));
  const actions = (
    <>
      {mayImport && (
        <LinkButton variant="default" to="/units/import">
          {texts.import}
        </LinkButton>
      )}
      {mayCreate && (
        <Button onClick={() => openDialog({ what: "create", parentId: null })}>{texts.create}</Button>
      )}
    </>
  );
  return (
    <Page title={texts.units} about={texts.about} actions={actions}>
      <UnitTabs />
      <Pending of={query} height={240} />
      {query.data && <UnitEditor units={query.data.data} dialog={dialog} openDialog={openDialog} />}
    </Page>
  );
}

/** The maximum size of a tree that is shown expanded at first. */
const OPEN_AT_FIRST = 100;

type TreeProps = {
  units: Unit[];
  dialog: UnitAction | null;
  openDialog: (dialog: UnitAction | null) => void;
};

function UnitEditor({ units, dialog, openDialog }: TreeProps) {
  const texts = useTexts(unitTexts);
  const client = useClient();
  const asked = route.useSearch().unit ?? null;
  const mayMove = Boolean(useCan("Units.Update"));
  const mayMoveToTop = useCan("Units.Update", null) === true;
  const mayCreateAtTop = useCan("Units.Create", null) === true;
  const known = byId(units);
  const [selected, setSelected] = useState(asked);
  const [open, setOpen] = useState<ReadonlySet<string>>(
    () =>
      new Set(units.length <= OPEN_AT_FIRST ? known.keys() : pathTo(known, asked ?? "").map(({ id }) => id)),
  );
  const [search, setSearch] = useState("");
  const [isDeleting, setDeleting] = useState(false);
  const rows = rowsOf(units, open, search.trim());
  const unit = known.get(selected ?? "");

  const toggle = (id: string) => {
    const next = new Set(open);
    if (!next.delete(id)) next.add(id);
    setOpen(next);
  };
  const show = ({ id, parentId }: Pick<Unit, "id" | "parentId">) => {
    setSelected(id);
    setOpen(new Set([...open, ...pathTo(known, parentId ?? "").map((above) => above.id)]));
  };
  const move = useMove(show);
  function onKey(key: string) {
    if (unit === undefined || !client.can("Units.Update", unit.id)) return;
    if (key === "F2") openDialog({ what: "rename", unit });
    if (key === "m" || key === "M") openDialog({ what: "move", unit });
    if (key === "Delete") setDeleting(true);
  }
  return (
    <>
      {units.length === 0 ? (
        <EmptyState icon="units" text={texts.none}>
          {mayCreateAtTop && (
            <Button variant="default" onClick={() => openDialog({ what: "create", parentId: null })}>
              {texts.createFirst}
            </Button>
          )}
        </EmptyState>
      ) : (
        <div className="unit-columns">
          <div>
            <Refusal error={move.error} />
            <MoveNotice move={move} known={known} />
            <Group gap="xs" align="flex-end" mb="sm">
              <SearchInput value={search} onChange={({ currentTarget: { value } }) => setSearch(value)} />
              <Button variant="default" onClick={() => setOpen(new Set(known.keys()))}>
                {texts.expandAll}
              </Button>
              <Button variant="default" onClick={() => setOpen(new Set())}>
                {texts.collapseAll}
              </Button>
            </Group>
            {rows.length === 0 ? (
              <EmptyState text={texts.noneFound} />
            ) : (
              <UnitTree
                label={texts.tree}
                rows={rows}
                selected={selected}
                onSelect={setSelected}
                onToggle={toggle}
                onKey={onKey}
                mayMove={(id) => Boolean(client.can("Units.Update", id))}
                onDrop={(id, parentId) => {
                  const moved = known.get(id);
                  if (moved !== undefined && moved.parentId !== parentId) move.run({ unit: moved, parentId });
                }}
                hint={mayMove ? texts.hint : texts.keysHint}
              />
            )}
          </div>
          <Paper withBorder p="md" className="unit-panel">
            {unit === undefined ? (
              <Text c="dimmed">{texts.choose}</Text>
            ) : (
              <UnitPanel
                key={unit.id}
                unit={unit}
                units={units}
                openDialog={openDialog}
                isDeleting={isDeleting}
                onDelete={setDeleting}
              />
            )}
          </Paper>
        </div>
      )}
      <UnitDialog
        dialog={dialog}
        units={units}
        top={dialog?.what === "move" ? mayMoveToTop : mayCreateAtTop}
        onClose={() => openDialog(null)}
        onDone={(changed) => {
          openDialog(null);
          show(changed);
        }}
      />
    </>
  );
}
