import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useFormat } from "../../../lib/format.ts";
import { useTexts } from "../../../lib/i18n.tsx";
import { PAGE_SIZE } from "../../../lib/list.ts";
import { inviteManyTexts } from "../../../texts/invite-many.ts";
import { type Column, DataTable } from "../../../ui/data-table.tsx";
import { ErrorAlert } from "../../../ui/error-alert.tsx";
import { Section } from "../../../ui/page.tsx";
import { Segments } from "../../../ui/segments.tsx";
import type { Outcome } from "./outcome.ts";
import type { Row } from "./rows.ts";
import type { useBulk } from "./run.ts";

type Bulk = ReturnType<typeof useBulk>;
type Judged = { readonly row: Row; readonly line: number; readonly outcome: Outcome };

type Props = {
  readonly bulk: Bulk;
  readonly rows: readonly Judged[];
  /** The rows that can be invited. */
  readonly open: readonly Row[];
  readonly onSave: () => void;
};

export function Results({ bulk, rows, open, onSave }: Props) {
  const texts = useTexts(inviteManyTexts);
  const { number } = useFormat();
  const { phase, isRunning, done, total, waits, seats, mailsWaiting, error } = bulk;
  const refused = rows.filter(({ outcome }) => outcome.state === "refused");
  const accepted = rows.filter(({ outcome }) => outcome.state === "accepted").length;
  const isSent = phase === "sending" || phase === "sent";
  const summary = isSent
    ? texts.invited(number(accepted - open.length))
    : texts.wouldInvite(number(accepted));
  const progress = (isSent ? texts.sending : texts.checking)(number(done), number(total));
  const { free, needed } = seats;
  return (
    <Section title={texts.results}>
      <Stack gap="sm">
        <ErrorAlert error={error} />
        <div role="status">
          {isRunning && <Text size="sm">{progress}</Text>}
          {!isRunning && (
            <Text size="sm">
              {summary} · {texts.refused(number(refused.length))}
              {done < total && ` · ${texts.stopped(number(done), number(total))}`}
              {mailsWaiting > 0 && isSent && ` · ${texts.mailsWaiting(number(mailsWaiting))}`}
            </Text>
          )}
        </div>
        {/* The seconds are not read aloud. */}
        {waits !== null && (
          <Text size="sm" c="dimmed">
            {texts.waits(number(waits))}
          </Text>
        )}
        {isRunning && (
          <progress className="bulk-progress" max={total} value={done} aria-label={texts.results} />
        )}
        {!isRunning && !isSent && free !== null && needed > free && (
          <Alert variant="outline">{texts.needsSeats(number(free), number(needed))}</Alert>
        )}
        {!isRunning && !isSent && accepted > 200 && <Alert variant="outline">{texts.manyMails}</Alert>}
        <Group gap="sm">
          {isRunning && (
            <Button variant="default" onClick={bulk.stop}>
              {texts.stop}
            </Button>
          )}
          {!isRunning && open.length > 0 && (
            <Button onClick={() => bulk.send(open)}>{texts.send(number(open.length))}</Button>
          )}
          {!isRunning && refused.length > 0 && (
            <Button variant="default" onClick={onSave}>
              {texts.saveRefused}
            </Button>
          )}
        </Group>
        <ResultTable rows={rows} refused={refused} />
      </Stack>
    </Section>
  );
}

const TONES = { refused: "bad", accepted: "good", open: undefined } as const;

function ResultTable({ rows, refused }: { rows: readonly Judged[]; refused: readonly Judged[] }) {
  const texts = useTexts(inviteManyTexts);
  const { number } = useFormat();
  const [which, setWhich] = useState<"all" | "refused">("all");
  const [page, setPage] = useState(1);
  const listed = which === "all" ? rows : refused;
  const columns: Column<Judged>[] = [
    { title: texts.row, render: ({ line }) => number(line) },
    { title: texts.email, render: ({ row }) => <span className="break">{row.email}</span> },
    {
      title: texts.what,
      render: ({ outcome: { state, text } }) => (
        <span className={state === "refused" ? undefined : "tag"} data-tone={TONES[state]}>
          {text}
        </span>
      ),
    },
  ];
  return (
    <>
      <Segments
        label={texts.show}
        options={[
          { value: "all", label: `${texts.all} ${number(rows.length)}` },
          { value: "refused", label: `${texts.onlyRefused} ${number(refused.length)}` },
        ]}
        value={which}
        onChange={(value) => {
          setWhich(value);
          setPage(1);
        }}
      />
      <DataTable
        label={texts.table}
        list={{
          rows: listed.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE),
          total: listed.length,
          search: { page },
          error: null,
          isFetching: false,
          retry() {},
          all: async () => listed,
          show: (change) => setPage(change.page ?? 1),
        }}
        columns={columns}
        rowKey={({ line }) => String(line)}
      />
    </>
  );
}
