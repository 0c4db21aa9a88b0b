import { useTexts } from "../lib/i18n.tsx";
import { Avatar } from "../ui/avatar.tsx";
import { BarChart, Meter, Sparkline } from "../ui/chart.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { HeatMap } from "../ui/heat-map.tsx";
import { Figure } from "../ui/parts.tsx";
import { RowMenu } from "../ui/row-menu.tsx";
import { TrendChart } from "../ui/trend-chart.tsx";
import { listOf } from "./list.ts";
import { Specimen, Wide } from "./specimen.tsx";
import { generalTexts, memberTexts } from "./texts.ts";

type Row = { readonly id: string; readonly name: string; readonly email: string };
const ROWS: Row[] = [
  { id: "1", name: "Ada Lovelace", email: "ada@example.com" },
  { id: "2", name: "Νίκος Γεωργίου", email: "nikos@example.com" },
  { id: "3", name: "Grace Hopper", email: "grace.brewster.murray.hopper@example.com" },
];
const VALUES = [3, 8, 5, 12, 9, 0, 1, 7, 14, 11, 6, 2];
const series = VALUES.map((count, index) => ({ day: `2026-01-${index + 10}`, count }));
const format = (value: number) => String(value);

export function Data() {
  const texts = useTexts(generalTexts);
  const member = useTexts(memberTexts);
  const columns = [
    {
      title: member.name,
      sort: "name",
      render: ({ id, name }: Row) => (
        <span>
          <Avatar name={name} id={id} /> {name}
        </span>
      ),
    },
    { title: member.email, render: ({ email }: Row) => email },
    {
      title: "",
      render: ({ name }: Row) => <RowMenu label={member.actionsOf(name)} actions={[{ label: texts.edit }]} />,
    },
  ];
  const table = { label: member.members, columns, rowKey: ({ id }: Row) => id, searchable: true };
  return (
    <>
      <Specimen name="table" isWide>
        <Wide>
          <DataTable {...table} list={listOf(ROWS)} />
        </Wide>
      </Specimen>
      <Specimen name="table-empty">
        <Wide>
          <DataTable {...table} list={listOf<Row>([], { total: 0, search: { search: "x" } })} />
        </Wide>
      </Specimen>
      <Specimen name="figures">
        <Figure label={member.members} value="1,234" series={series} />
        <Figure label={texts.done} value="87 %" />
        <Sparkline values={VALUES} />
      </Specimen>
      <Specimen name="meters">
        {[10, 45, 50].map((used) => (
          <Wide key={used}>
            <Meter label={member.members} part={used / 50} text={`${used} / 50`} isHigh={used > 40} />
          </Wide>
        ))}
      </Specimen>
      <Specimen name="bars">
        <Wide>
          <BarChart
            label={texts.units}
            names={[texts.created, texts.done]}
            points={VALUES.map((value, index) => ({ label: `${index + 1}`, values: [value, value / 2] }))}
          />
        </Wide>
      </Specimen>
      <Specimen name="trend">
        <Wide>
          <TrendChart
            label={member.members}
            hint={member.about}
            max={60}
            names={[member.members, member.invited]}
            points={VALUES.map((value, index) => ({
              label: `${index + 1}`,
              value: 30 + 2 * index + value,
              isExpected: index > 7,
            }))}
            format={format}
          />
        </Wide>
      </Specimen>
      <Specimen name="heat">
        <Wide>
          <HeatMap
            label={member.activity}
            hint={member.about}
            rows={[texts.created, texts.done, texts.edit]}
            columns={VALUES.map((_, index) => `${index}`)}
            values={[VALUES, VALUES.toReversed(), VALUES.map((value) => value % 5)]}
            format={format}
          />
        </Wide>
      </Specimen>
    </>
  );
}
