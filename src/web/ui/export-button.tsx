import { Button } from "@mantine/core";
import { useAction } from "../lib/action.ts";
import { toCsv } from "../lib/csv.ts";
import { useTexts } from "../lib/i18n.tsx";
import type { List } from "../lib/list.ts";
import { save } from "../lib/save-file.ts";
import { listTexts } from "../texts/list.ts";
import type { Column } from "./data-table.tsx";
import { ErrorAlert } from "./error-alert.tsx";

type Props<Row> = {
  readonly list: List<Row>;
  /** The columns; those without a text are left out. */
  readonly columns: readonly Column<Row>[];
  /** The name of the file without its ending. */
  readonly name: string;
};

export function ExportButton<Row>({ list, columns, name }: Props<Row>) {
  const texts = useTexts(listTexts);
  const exported = useAction({
    run: async () => {
      const rows = await list.all();
      const written = columns.filter(({ text }) => text !== undefined);
      const cells = rows.map((row) => written.map(({ text }) => text?.(row) ?? ""));
      const csv = toCsv([written.map(({ title }) => title), ...cells]);
      save(new Blob([csv], { type: "text/csv;charset=utf-8" }), `${name}.csv`);
    },
  });
  return (
    <>
      <Button
        variant="default"
        className="export"
        loading={exported.isRunning}
        onClick={() => exported.run()}
      >
        {texts.exportRows}
      </Button>
      <ErrorAlert error={exported.error} />
    </>
  );
}
