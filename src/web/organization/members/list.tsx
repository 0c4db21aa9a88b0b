import { Anchor, Text } from "@mantine/core";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Schemas } from "../../../client/index.ts";
import { useApiQuery, useCan } from "../../../client/react.ts";
import { useClaims } from "../../lib/claims.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { useList } from "../../lib/list.ts";
import { present } from "../../lib/present.ts";
import { memberTexts } from "../../texts/members.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ExportButton } from "../../ui/export-button.tsx";
import { activeFilters } from "../../ui/filter-chips.tsx";
import { FilterSelect } from "../../ui/filter-select.tsx";
import { useLabels } from "../../ui/labels.ts";
import { Page } from "../../ui/page.tsx";
import { Grants } from "../shared/grants.tsx";
import { UnitSelect } from "../shared/unit-select.tsx";
import { MemberMenu } from "./menu.tsx";
import { InviteLinks, MembersTabs } from "./tabs.tsx";

const route = getRouteApi("/authenticated/members");

export function Members() {
  const texts = useTexts(memberTexts);
  const { date } = useFormat();
  const words = useLabels();
  const { unit, twoFactor } = route.useSearch();
  const { userId: me } = useClaims();
  const isWhole = useCan("Members.Read", null);
  const list = useList("GET /api/members", {
    sort: "lastName",
    order: "asc",
    ...(unit && { unit: [unit] }),
    ...(isFactor(twoFactor) && { twoFactor }),
  });
  // The filter is rarely used, and its options are many: they are loaded when it opens.
  const [isFilterOpen, setFilterOpen] = useState(false);
  const { data: units = [] } = useApiQuery(
    "GET /api/members/unit-options",
    {},
    { staleTime: 30_000, enabled: isFilterOpen || unit !== undefined },
  );
  const nameOfUnit = (id: string) => units.find((one) => one.id === id)?.name ?? "…";
  const maySeeSecurity = useCan("Members.Delete");
  const mayFilter = useCan("Members.Delete", null);
  const isWholeList =
    list.rows !== undefined &&
    unit === undefined &&
    twoFactor === undefined &&
    list.search.search === undefined;
  const columns = present<Column<Schemas["Member"]>>([
    {
      title: texts.name,
      sort: "lastName",
      text: ({ firstName, lastName }) => `${firstName} ${lastName}`,
      render: (member) => <Name member={member} isMe={member.userId === me} />,
    },
    {
      title: texts.roles,
      text: ({ assignments }) =>
        assignments.map(({ role, unit }) => words.grant(role.name, unit?.name ?? null)).join("; "),
      render: ({ assignments }) => <Grants of={assignments} />,
    },
    {
      title: texts.units,
      text: (member) => member.units.map(({ name }) => name).join("; "),
      render: (member) => <UnitNames units={member.units} />,
    },
    maySeeSecurity && {
      title: texts.secondFactor,
      text: ({ twoFactorEnabled }) =>
        twoFactorEnabled === null ? "" : twoFactorEnabled ? texts.on : texts.off,
      render: ({ twoFactorEnabled }) => <SecondFactor isOn={twoFactorEnabled} />,
    },
    maySeeSecurity && {
      title: texts.lastActive,
      text: ({ lastActiveOn }) => lastActiveOn ?? "",
      render: ({ lastActiveOn }) => (
        <span className="no-wrap">{lastActiveOn === null ? "–" : date(lastActiveOn)}</span>
      ),
    },
    {
      title: texts.joined,
      sort: "joinedAt",
      text: ({ joinedAt }) => joinedAt,
      render: ({ joinedAt }) => <span className="no-wrap">{date(joinedAt)}</span>,
    },
    { title: "", render: (member) => <MemberMenu member={member} isMe={member.userId === me} /> },
  ]);
  /** A column of the export only. */
  const email: Column<Schemas["Member"]> = {
    title: texts.email,
    text: (member) => member.email,
    render: () => null,
  };
  return (
    <Page
      title={texts.members}
      about={isWhole === true ? texts.about : texts.partial}
      actions={<InviteLinks />}
    >
      <MembersTabs members={isWholeList ? list.total : undefined} />
      <DataTable
        label={texts.members}
        list={list}
        columns={columns}
        rowKey={({ userId }) => userId}
        empty={<EmptyState icon="people" text={texts.none} />}
        searchable
        tools={<ExportButton list={list} columns={[...columns, email]} name="members" />}
        active={activeFilters([
          { label: texts.unit, names: ["unit"], value: unit && nameOfUnit(unit) },
          {
            label: texts.secondFactor,
            names: ["twoFactor"],
            value: isFactor(twoFactor) ? texts[twoFactor] : undefined,
          },
        ])}
        filters={
          <>
            <UnitSelect
              label={texts.unit}
              placeholder={texts.allUnits}
              units={units}
              value={unit ?? null}
              onChange={(id) => list.show({ unit: id ?? undefined })}
              onDropdownOpen={() => setFilterOpen(true)}
            />
            {mayFilter && (
              <FilterSelect
                label={texts.secondFactor}
                placeholder={texts.any}
                data={[
                  { value: "on", label: texts.on },
                  { value: "off", label: texts.off },
                ]}
                value={twoFactor}
                onChange={(value) => list.show({ twoFactor: value })}
              />
            )}
          </>
        }
      />
    </Page>
  );
}

const isFactor = (value: string | undefined): value is "on" | "off" => value === "on" || value === "off";

function SecondFactor({ isOn }: { isOn: boolean | null }) {
  const texts = useTexts(memberTexts);
  if (isOn === null) return "–";
  return (
    <span className="tag" data-tone={isOn ? "good" : "warn"}>
      {isOn ? texts.on : texts.off}
    </span>
  );
}

function Name({
  member: { userId, email, firstName, lastName },
  isMe,
}: {
  member: Schemas["Member"];
  isMe: boolean;
}) {
  const texts = useTexts(memberTexts);
  return (
    <div className="person">
      <Avatar name={`${firstName} ${lastName}`} id={userId} size={32} />
      <div>
        <Anchor component={Link} to={`/members/${userId}`} className="name">
          {`${firstName} ${lastName}`}
        </Anchor>
        {isMe && <span className="dimmed"> {texts.you}</span>}
        <div className="dimmed break">{email}</div>
      </div>
    </div>
  );
}

const SHOWN = 3;

function UnitNames({ units }: { units: Schemas["Member"]["units"] }) {
  const texts = useTexts(memberTexts);
  const { number } = useFormat();
  const names = units.slice(0, SHOWN).map(({ name }) => name);
  return (
    <Text size="sm" className="break" c={names.length === 0 ? "dimmed" : undefined}>
      {names.length === 0 ? "–" : names.join(", ")}
      {units.length > SHOWN && ` ${texts.more(number(units.length - SHOWN))}`}
    </Text>
  );
}
