import { Table, UnstyledButton } from "@mantine/core";
import type { ReactNode } from "react";
import { useTexts } from "../lib/i18n.tsx";
import type { List } from "../lib/list.ts";
import { listTexts } from "../texts/list.ts";
import { ListFrame, type ListFrameProps } from "./list-frame.tsx";

export type Column<Row> = {
  /** The heading; empty for the column with the actions. */
  readonly title: string;
  /** The API's sort field for this column; undefined if rows cannot be sorted by it. */
  readonly sort?: string;
  readonly render: (row: Row) => ReactNode;
  /** The content of the cell as text, for the export. */
  readonly text?: (row: Row) => string;
};

type Props<Row> = ListFrameProps<Row> & {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rowKey: (row: Row) => string;
};

/** A table for a list of the API. The server does paging, sorting and search; all three are in the URL. */
export function DataTable<Row>({ label, columns, rowKey, ...frame }: Props<Row>) {
  return (
    <ListFrame {...frame}>
      {(rows) => (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: an area that scrolls must be reachable by keyboard
        <section className="table-scroll" tabIndex={0} aria-label={label}>
          {/* On a phone the rows are shown as cards. Browsers remove the table roles of elements that are not displayed as a table, so the roles are explicit. */}
          <Table highlightOnHover verticalSpacing="xs" className="data-table" role="table">
            <Table.Thead role="rowgroup">
              <Table.Tr role="row">
                {columns.map((column) => (
                  <Heading key={column.title} column={column} list={frame.list} />
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody role="rowgroup">
              {rows.map((row) => (
                <Table.Tr key={rowKey(row)} role="row">
                  {columns.map(({ title, render }) => (
                    <Table.Td key={title} role="cell" data-label={title}>
                      {render(row)}
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </section>
      )}
    </ListFrame>
  );
}

const ARROWS = { asc: "↑", desc: "↓" } as const;
const ARIA = { asc: "ascending", desc: "descending" } as const;

function Heading<Row>({ column: { title, sort }, list }: { column: Column<Row>; list: List<Row> }) {
  const texts = useTexts(listTexts);
  const { order = "asc", sort: by } = list.search;
  // This cell is not a header cell, because it has no text for screen readers.
  if (title === "") return <Table.Td role="cell" />;
  if (sort === undefined)
    return (
      <Table.Th scope="col" role="columnheader">
        {title}
      </Table.Th>
    );
  const isSorted = by === sort;
  return (
    <Table.Th scope="col" role="columnheader" aria-sort={isSorted ? ARIA[order] : "none"}>
      <UnstyledButton
        title={texts.sortBy(title)}
        onClick={() => list.show({ sort, order: isSorted && order === "asc" ? "desc" : "asc" })}
      >
        {title} {isSorted && <span aria-hidden="true">{ARROWS[order]}</span>}
      </UnstyledButton>
    </Table.Th>
  );
}
