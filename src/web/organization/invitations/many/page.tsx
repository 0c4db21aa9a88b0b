import { Button, Group, Stack } from "@mantine/core";
import { useMemo, useState } from "react";
import { useApiQuery, useCan } from "../../../../client/react.ts";
import { toCsv } from "../../../lib/csv.ts";
import { useLanguage, useTexts } from "../../../lib/i18n.tsx";
import { save } from "../../../lib/save-file.ts";
import { useUnsavedGuard } from "../../../lib/unsaved.ts";
import { inviteManyTexts } from "../../../texts/invite-many.ts";
import { ErrorAlert } from "../../../ui/error-alert.tsx";
import { useLabels } from "../../../ui/labels.ts";
import { Page, Section } from "../../../ui/page.tsx";
import { TextLink } from "../../../ui/text-link.tsx";
import { type Columns, guessColumns, hasHeading, widthOf } from "./columns.ts";
import { ColumnFields, type Common, CommonFields } from "./fields.tsx";
import { useOutcome } from "./outcome.ts";
import { Results } from "./results.tsx";
import { type Row, rowsOf } from "./rows.ts";
import { useBulk } from "./run.ts";
import { MAX_ROWS, Source } from "./source.tsx";
import { parseTable } from "./table.ts";

export function InviteMany() {
  const texts = useTexts(inviteManyTexts);
  return (
    <Page title={texts.title} about={texts.about}>
      <Group gap="md">
        <TextLink to="/invitations">{texts.invitations}</TextLink>
        <TextLink to="/invitations/new">{texts.few}</TextLink>
      </Group>
      <ManyForm />
    </Page>
  );
}

const DEFAULT_ROLE = "MEMBER";
const EMPTY: Row[] = [];

function ManyForm() {
  const texts = useTexts(inviteManyTexts);
  const words = useLabels();
  const whole = useCan("Invitations.Create", null) === true;
  const { data: roles, error } = useApiQuery("GET /api/members/role-options", {}, { staleTime: 30_000 });
  const { data: units } = useApiQuery("GET /api/members/unit-options", {}, { staleTime: 30_000 });
  const { language } = useLanguage();
  const [text, setText] = useState("");
  const [heading, setHeading] = useState<boolean | null>(null);
  const [chosen, setChosen] = useState<Columns | null>(null);
  const [common, setCommon] = useState<Common | null>(null);
  const bulk = useBulk();
  useUnsavedGuard(() => bulk.phase === "sending");

  const table = useMemo(() => parseTable(text), [text]);
  const isHeaded = heading ?? hasHeading(table);
  const columns = chosen ?? guessColumns(table, isHeaded);
  const content = isHeaded ? table.slice(1) : table;
  const defaultRole = roles?.find(({ name }) => name === DEFAULT_ROLE) ?? roles?.[0];
  const forAll = common ?? {
    roleIds: defaultRole === undefined ? [] : [defaultRole.id],
    unitId: whole ? null : (units?.[0]?.id ?? null),
    language,
  };
  const isReady =
    roles !== undefined && units !== undefined && content.length > 0 && content.length <= MAX_ROWS;
  // The rows stay the same objects during a run, because they are the keys of its results.
  const key = JSON.stringify([columns, forAll, isHeaded, isReady]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key contains the choices
  const rows = useMemo(
    () => (isReady ? rowsOf(content, columns, { roles, units, shownName: words.role, ...forAll }) : EMPTY),
    [table, key],
  );

  const isSent = bulk.phase === "sending" || bulk.phase === "sent";
  const outcomeOf = useOutcome(isSent);
  const judged = rows.map((row, index) => ({
    row,
    line: index + (isHeaded ? 2 : 1),
    outcome: outcomeOf(row, bulk.results.get(row)),
  }));
  const open = rows.filter((row) => {
    const result = bulk.results.get(row);
    return result !== undefined && result.outcome !== "refused" && !result.isSent;
  });
  /** Returns a function that changes something and forgets the results, which no longer apply. */
  const changing =
    <Value,>(change: (value: Value) => void) =>
    (value: Value) => {
      bulk.reset();
      change(value);
    };

  function saveRefused() {
    const width = widthOf(table);
    const names = Array.from(
      { length: width },
      (_, at) => (isHeaded ? table[0]?.[at] : null) ?? texts.column(at + 1),
    );
    const refused = judged.filter(({ outcome }) => outcome.state === "refused");
    const lines = refused.map(({ row, outcome }) => [
      ...Array.from({ length: width }, (_, at) => row.cells[at] ?? ""),
      outcome.text,
    ]);
    const csv = toCsv([[...names, texts.reason], ...lines]);
    save(new Blob([csv], { type: "text/csv;charset=utf-8" }), "refused.csv");
  }
  return (
    <Stack gap="lg">
      <Section title={texts.people}>
        <Source
          value={text}
          count={content.length}
          onChange={changing((next: string) => {
            setText(next);
            setHeading(null);
            setChosen(null);
          })}
        />
      </Section>
      {widthOf(table) > 1 && (
        <ColumnFields
          table={table}
          isHeaded={isHeaded}
          onHeading={changing(setHeading)}
          value={columns}
          onChange={changing(setChosen)}
        />
      )}
      <ErrorAlert error={error} />
      <CommonFields
        roles={roles ?? []}
        units={units ?? []}
        whole={whole}
        value={forAll}
        onChange={changing(setCommon)}
      />
      {!bulk.isRunning && (
        <Group justify="flex-end">
          <Button
            variant={bulk.phase === "idle" ? "filled" : "default"}
            disabled={!isReady}
            onClick={() => bulk.check(rows)}
          >
            {texts.check}
          </Button>
        </Group>
      )}
      {bulk.phase !== "idle" && <Results bulk={bulk} rows={judged} open={open} onSave={saveRefused} />}
    </Stack>
  );
}
