import { Alert, Button, Group, Stack, Table, Text } from "@mantine/core";
import { useState } from "react";
import { useFormat } from "../../../lib/format.ts";
import { useTexts } from "../../../lib/i18n.tsx";
import { ErrorAlert } from "../../../ui/error-alert.tsx";
import { Section } from "../../../ui/page.tsx";
import { Segments } from "../../../ui/segments.tsx";
import type { Outcome } from "./outcome.ts";
import type { Row } from "./rows.ts";
import type { useBulk } from "./run.ts";
import { inviteManyTexts } from "./texts.ts";

type Bulk = ReturnType<typeof useBulk>;
export type Judged = { readonly row: Row; readonly line: number; readonly outcome: Outcome };

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

const SHOWN = 50;
const TONES = { refused: "bad", accepted: "good", open: undefined } as const;

function ResultTable({ rows, refused }: { rows: readonly Judged[]; refused: readonly Judged[] }) {
  const texts = useTexts(inviteManyTexts);
  const { number } = useFormat();
  const [which, setWhich] = useState<"all" | "refused">("all");
  const [first, setFirst] = useState(0);
  const listed = which === "all" ? rows : refused;
  const from = first < listed.length ? first : 0;
  const shown = listed.slice(from, from + SHOWN);
  const columns = [texts.row, texts.email, texts.what];
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
          setFirst(0);
        }}
      />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: an area that scrolls must be reachable by keyboard */}
      <section className="table-scroll" tabIndex={0} aria-label={texts.table}>
        <Table verticalSpacing="xs" className="data-table" role="table">
          <Table.Thead role="rowgroup">
            <Table.Tr role="row">
              {columns.map((title) => (
                <Table.Th key={title} scope="col" role="columnheader">
                  {title}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody role="rowgroup">
            {shown.map(({ row, line, outcome }) => (
              <Table.Tr key={line} role="row">
                <Table.Td role="cell" data-label={texts.row}>
                  {number(line)}
                </Table.Td>
                <Table.Td role="cell" data-label={texts.email} className="break">
                  {row.email}
                </Table.Td>
                <Table.Td role="cell" data-label={texts.what}>
                  <span
                    className={outcome.state === "refused" ? undefined : "tag"}
                    data-tone={TONES[outcome.state]}
                  >
                    {outcome.text}
                  </span>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </section>
      {listed.length > SHOWN && (
        <Group justify="space-between">
          <Text size="sm" c="dimmed">
            {texts.rows(number(from + 1), number(from + shown.length), number(listed.length))}
          </Text>
          <Group gap="xs">
            <Button
              variant="default"
              size="xs"
              disabled={from === 0}
              onClick={() => setFirst(Math.max(0, from - SHOWN))}
            >
              {texts.previous}
            </Button>
            <Button
              variant="default"
              size="xs"
              disabled={from + SHOWN >= listed.length}
              onClick={() => setFirst(from + SHOWN)}
            >
              {texts.next}
            </Button>
          </Group>
        </Group>
      )}
    </>
  );
}
