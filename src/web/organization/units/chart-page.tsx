import { Button, Group, Paper, Skeleton, Text, Title } from "@mantine/core";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useApiQuery, useCan } from "../../../client/react.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { unitTexts } from "../../texts/units.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorAlert } from "../../ui/error-alert.tsx";
import { Page } from "../../ui/page.tsx";
import { Pending } from "../../ui/pending.tsx";
import { UnitChart } from "./chart.tsx";
import { rowsOf, type Unit } from "./rows.ts";
import { UnitTabs } from "./tabs.tsx";

const route = getRouteApi("/authenticated/units/chart");

export function OrganizationChart() {
  const texts = useTexts(unitTexts);
  const query = useApiQuery("GET /api/units");
  const units = query.data?.data;
  return (
    <Page title={texts.units} part={texts.chart} about={texts.about}>
      <UnitTabs />
      <Pending of={query} height={320} />
      {units?.length === 0 && <EmptyState icon="units" text={texts.none} />}
      {units !== undefined && units.length > 0 && <Chart units={units} />}
    </Page>
  );
}

/** Charts with at most this many units are expanded initially. */
const OPEN_AT_FIRST = 60;

function Chart({ units }: { units: Unit[] }) {
  const texts = useTexts(unitTexts);
  const navigate = route.useNavigate();
  const asked = route.useSearch().unit ?? null;
  // The selection is in a state, not only in the URL: the URL is updated with a delay, and another key may be pressed
  // before.
  const [selected, setSelected] = useState(asked);
  const all = useMemo(() => new Set(units.map(({ id }) => id)), [units]);
  const [open, setOpen] = useState<ReadonlySet<string>>(() =>
    units.length <= OPEN_AT_FIRST ? all : new Set(),
  );
  const rows = useMemo(() => rowsOf(units, open, ""), [units, open]);
  const unit = units.find(({ id }) => id === selected);
  function toggle(id: string) {
    const next = new Set(open);
    if (!next.delete(id)) next.add(id);
    setOpen(next);
  }
  return (
    <div className="unit-columns">
      <div>
        <Group gap="xs" mb="sm">
          <Button size="xs" variant="default" onClick={() => setOpen(all)}>
            {texts.expandAll}
          </Button>
          <Button size="xs" variant="default" onClick={() => setOpen(new Set())}>
            {texts.collapseAll}
          </Button>
        </Group>
        <UnitChart
          label={texts.chart}
          rows={rows}
          selected={selected}
          onSelect={(id) => {
            setSelected(id);
            void navigate({ search: { unit: id }, replace: true, resetScroll: false });
          }}
          onToggle={toggle}
        />
      </div>
      <Paper withBorder p="md" className="unit-panel">
        {unit === undefined ? (
          <Text c="dimmed">{texts.choosePeople}</Text>
        ) : (
          <>
            <Title order={2} size="h4" className="break">
              {unit.name}
            </Title>
            <People key={unit.id} unitId={unit.id} />
          </>
        )}
      </Paper>
    </div>
  );
}

const SHOWN = 10;

function People({ unitId }: { unitId: string }) {
  const texts = useTexts(unitTexts);
  const { number } = useFormat();
  const mayRead = Boolean(useCan("Members.Read"));
  const query = { unit: [unitId], pageSize: SHOWN, sort: "lastName" as const };
  const { data, error, refetch } = useApiQuery("GET /api/members", { query }, { enabled: mayRead });
  if (!mayRead) return null;
  if (error !== null) return <ErrorAlert error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton height={120} mt="sm" />;
  return (
    <>
      <ul className="unit-people">
        {data.data.map(({ userId, firstName, lastName }) => (
          <li key={userId} className="person">
            <Avatar name={`${firstName} ${lastName}`} id={userId} />
            <Link to="/members/$userId" params={{ userId }}>
              {`${firstName} ${lastName}`}
            </Link>
          </li>
        ))}
      </ul>
      <Link to="/members" search={{ unit: unitId } as never} className="unit-people-all">
        {texts.peopleBelow(number(data.total))}
      </Link>
    </>
  );
}
