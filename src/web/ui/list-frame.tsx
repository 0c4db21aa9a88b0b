import { Button, Group, Skeleton, Stack } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { type ReactNode, useEffect } from "react";
import { useTexts } from "../lib/i18n.tsx";
import type { List } from "../lib/list.ts";
import { listTexts } from "../texts/list.ts";
import { uiTexts } from "../texts/ui.ts";
import { EmptyState } from "./empty-state.tsx";
import { ErrorAlert } from "./error-alert.tsx";
import { type ActiveFilter, FilterChips, without } from "./filter-chips.tsx";
import { Pages } from "./pages.tsx";
import { SearchField } from "./search-field.tsx";

export type ListFrameProps<Row> = {
  readonly list: List<Row>;
  /** The message for a list that has no rows even without search and filters. */
  readonly empty?: ReactNode;
  readonly searchable?: boolean | undefined;
  /** The placeholder of the search field: what the search compares. */
  readonly searchPlaceholder?: string | undefined;
  readonly filters?: ReactNode;
  /** The filters that are active now. They can be removed one by one. */
  readonly active?: readonly ActiveFilter[];
  /** Buttons for the whole list, at the end of the line of filters. */
  readonly tools?: ReactNode;
};

/** The number of placeholder rows. They fill a screen, so that nothing moves when rows arrive. */
const PLACEHOLDERS = Array.from({ length: 8 }, (_, row) => row);

export function ListFrame<Row>({
  list,
  empty,
  searchable,
  searchPlaceholder,
  filters,
  active = [],
  tools,
  children,
}: ListFrameProps<Row> & { readonly children: (rows: readonly Row[]) => ReactNode }) {
  const texts = useTexts(uiTexts);
  const words = useTexts(listTexts);
  const { rows, search } = list;
  const isEmpty = rows?.length === 0;
  const isBeyond = isEmpty && list.total > 0;
  const isFiltered = search.search !== undefined || active.length > 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once for each URL whose page is beyond the last page
  useEffect(() => {
    if (isBeyond) list.show({ page: undefined });
  }, [isBeyond]);
  const [isOpen, { toggle }] = useDisclosure();
  const clear = () => list.show({ search: undefined, ...without(active) });
  return (
    <div aria-busy={list.isFetching}>
      {(searchable || filters !== undefined) && (
        <>
          <Group mb="xs" align="flex-end" gap="sm" className="toolbar">
            {searchable && <SearchField list={list} placeholder={searchPlaceholder} />}
            {searchable && filters !== undefined && <FiltersButton isOpen={isOpen} onClick={toggle} />}
            <div className="toolbar-fields" data-open={isOpen || !searchable || undefined}>
              {filters}
            </div>
            {tools}
          </Group>
          <FilterChips filters={active} onRemove={list.show} />
        </>
      )}
      {/* After an error, rows that were loaded before stay visible. */}
      <ErrorAlert error={list.error} onRetry={list.retry} />
      {isEmpty && !isFiltered && (empty ?? <EmptyState text={texts.nothing} />)}
      {isEmpty && isFiltered && (
        <EmptyState icon="search" text={texts.nothingFound}>
          <Button variant="default" onClick={clear}>
            {words.clearFilters}
          </Button>
        </EmptyState>
      )}
      {rows === undefined && list.error === null && (
        <Stack gap="xs" role="status" aria-label={texts.loading}>
          {PLACEHOLDERS.map((row) => (
            <Skeleton key={row} height={40} />
          ))}
        </Stack>
      )}
      {rows !== undefined && !isEmpty && children(rows)}
      <Pages list={list} />
    </div>
  );
}

/** Shows or hides the fields of filters on a phone, where they would fill the screen. */
function FiltersButton({ isOpen, onClick }: { isOpen: boolean; onClick: () => void }) {
  const texts = useTexts(listTexts);
  return (
    <Button variant="default" className="filters-button" aria-expanded={isOpen} onClick={onClick}>
      {texts.filters}
    </Button>
  );
}
