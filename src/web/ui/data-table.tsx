import { Group, Pagination, Skeleton, Stack, Table, Text, TextInput, UnstyledButton } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useFormat } from "../lib/format.ts";
import { useTexts } from "../lib/i18n.tsx";
import { Icon } from "../lib/icons.tsx";
import { type List, PAGE_SIZE } from "../lib/list.ts";
import { EmptyState } from "./empty-state.tsx";
import { ErrorAlert } from "./error-alert.tsx";
import { uiTexts } from "./texts.ts";

export type Column<Row> = {
  readonly key: string;
  readonly title: string;
  /** The API's sort field for this column; undefined if rows cannot be sorted by it. */
  readonly sort?: string;
  readonly render: (row: Row) => ReactNode;
  /** The content of the cell as text, for the export. */
  readonly text?: (row: Row) => string;
};

type Props<Row> = {
  /** The name of the table for screen readers. */
  readonly label: string;
  readonly list: List<Row>;
  readonly columns: readonly Column<Row>[];
  readonly rowKey: (row: Row) => string;
  /** The message for a list without rows, if no search was entered. */
  readonly empty?: ReactNode;
  readonly searchable?: boolean;
  /** The placeholder of the search field: what the search compares. */
  readonly searchPlaceholder?: string;
  /** Further filters, next to the search field. */
  readonly filters?: ReactNode;
  /** Buttons for the whole list, at the end of the line of filters. */
  readonly tools?: ReactNode;
};

/** The number of placeholder rows. They fill a screen, so that nothing moves when rows arrive. */
const PLACEHOLDERS = Array.from({ length: 8 }, (_, row) => row);

/** A table for a list of the API. The server does paging, sorting and search; all three are in the URL. */
export function DataTable<Row>({
  label,
  list,
  columns,
  rowKey,
  empty,
  searchable,
  searchPlaceholder,
  filters,
  tools,
}: Props<Row>) {
  const texts = useTexts(uiTexts);
  const { rows, search } = list;
  const isEmpty = rows?.length === 0;
  const isBeyond = isEmpty && list.total > 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once for each URL whose page is beyond the last page
  useEffect(() => {
    if (isBeyond) list.show({ page: undefined });
  }, [isBeyond]);
  return (
    <div aria-busy={list.isFetching}>
      {(searchable || filters !== undefined) && (
        <Group mb="md" align="flex-end" gap="sm" className="toolbar">
          {searchable && <SearchField list={list} label={texts.search} placeholder={searchPlaceholder} />}
          {filters}
          {tools}
        </Group>
      )}
      {/* After an error, rows that were loaded before stay visible. */}
      <ErrorAlert error={list.error} onRetry={list.retry} />
      {isEmpty && (search.search !== undefined || empty === undefined) && (
        <EmptyState text={search.search === undefined ? texts.nothing : texts.nothingFound} />
      )}
      {isEmpty && search.search === undefined && empty}
      {rows === undefined && list.error === null && (
        <Stack gap="xs" role="status" aria-label={texts.loading}>
          {PLACEHOLDERS.map((row) => (
            <Skeleton key={row} height={40} />
          ))}
        </Stack>
      )}
      {rows !== undefined && !isEmpty && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: an area that scrolls must be reachable by keyboard
        <section className="table-scroll" tabIndex={0} aria-label={label}>
          {/* On a phone the rows are shown as cards. Browsers remove the table roles of elements that are not displayed as a table, so the roles are explicit. */}
          <Table highlightOnHover verticalSpacing="xs" className="data-table" role="table">
            <Table.Thead role="rowgroup">
              <Table.Tr role="row">
                {columns.map((column) => (
                  <Heading key={column.key} column={column} list={list} />
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody role="rowgroup">
              {rows.map((row) => (
                <Table.Tr key={rowKey(row)} role="row">
                  {columns.map(({ key, title, render }) => (
                    <Table.Td key={key} role="cell" data-label={title}>
                      {render(row)}
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </section>
      )}
      <Pages list={list} />
    </div>
  );
}

const ARROWS = { asc: "↑", desc: "↓" } as const;
const ARIA = { asc: "ascending", desc: "descending" } as const;

function Heading<Row>({ column: { title, sort }, list }: { column: Column<Row>; list: List<Row> }) {
  const texts = useTexts(uiTexts);
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
        fw={700}
        fz="sm"
        title={texts.sortBy(title)}
        onClick={() => list.show({ sort, order: isSorted && order === "asc" ? "desc" : "asc" })}
      >
        {title} {isSorted && <span aria-hidden="true">{ARROWS[order]}</span>}
      </UnstyledButton>
    </Table.Th>
  );
}

const SEARCH_MS = 300;

function SearchField<Row>({
  list,
  label,
  placeholder = label,
}: {
  list: List<Row>;
  label: string;
  placeholder?: string | undefined;
}) {
  const current = list.search.search ?? "";
  const [text, setText] = useState(current);
  const applied = useRef(current);
  const apply = useDebouncedCallback((search: string) => {
    applied.current = search;
    list.show({ search });
  }, SEARCH_MS);
  // Back navigation and links change the search text in the URL, so the field follows the URL. It does not follow its
  // own change, which may arrive after further letters were typed.
  useEffect(() => {
    if (current === applied.current) return;
    applied.current = current;
    setText(current);
  }, [current]);
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={placeholder}
      leftSection={<Icon name="search" size={16} />}
      value={text}
      maxLength={200}
      onChange={({ currentTarget: { value } }) => {
        setText(value);
        apply(value.trim());
      }}
      // A click on a row comes after its field has lost the focus; a later search would cancel the navigation.
      onBlur={() => apply.flush()}
    />
  );
}

function Pages<Row>({ list }: { list: List<Row> }) {
  const texts = useTexts(uiTexts);
  const { number } = useFormat();
  const { page = 1 } = list.search;
  const pages = Math.ceil(list.total / PAGE_SIZE);
  if (list.rows === undefined || pages <= 1) return null;
  const first = (page - 1) * PAGE_SIZE;
  return (
    <Group justify="space-between" mt="sm">
      <Text size="sm" c="dimmed" role="status">
        {texts.rows(number(first + 1), number(first + list.rows.length), number(list.total))}
      </Text>
      <Pagination
        component="nav"
        aria-label={texts.pages}
        total={pages}
        value={page}
        onChange={(next: number) => list.show({ page: next })}
        getItemProps={(item: number) => ({ "aria-label": texts.page(number(item)) })}
        getControlProps={(control: string) => ({
          "aria-label": control === "previous" ? texts.previous : texts.next,
        })}
      />
    </Group>
  );
}
