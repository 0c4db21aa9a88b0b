import { CloseIcon } from "@mantine/core";
import { useRef } from "react";
import { useTexts } from "../lib/i18n.tsx";
import { listTexts } from "../texts/list.ts";

export type ActiveFilter = {
  /** The name of the filter, such as "Unit". */
  readonly label: string;
  readonly value: string;
  /** The search parameters that the filter consists of. */
  readonly names: readonly string[];
};

/** Returns the active filters among `filters`: those with a value. */
export const activeFilters = (
  filters: readonly (Omit<ActiveFilter, "value"> & { readonly value: string | undefined })[],
): ActiveFilter[] =>
  filters.flatMap(({ value, ...rest }) => (value === undefined ? [] : [{ ...rest, value }]));

export const without = (filters: readonly ActiveFilter[]): Record<string, undefined> =>
  Object.fromEntries(filters.flatMap(({ names }) => names.map((name) => [name, undefined])));

type Props = {
  readonly filters: readonly ActiveFilter[];
  readonly onRemove: (change: Record<string, undefined>) => void;
};

/** The active filters of a list. A click on one removes it. */
export function FilterChips({ filters, onRemove }: Props) {
  const texts = useTexts(listTexts);
  const group = useRef<HTMLDivElement>(null);
  // The clicked button disappears. Without another focus, keyboard users would start at the top of the page again.
  const remove = (removed: readonly ActiveFilter[]) => {
    group.current?.focus();
    onRemove(without(removed));
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be focused
    <div ref={group} className="chips" role="group" aria-label={texts.activeFilters} tabIndex={-1}>
      {filters.map((filter) => {
        const text = `${filter.label}: ${filter.value}`;
        return (
          <button
            key={filter.label}
            type="button"
            className="tag"
            aria-label={texts.removeFilter(text)}
            onClick={() => remove([filter])}
          >
            {text}
            <CloseIcon size="14" />
          </button>
        );
      })}
      {filters.length > 0 && (
        <button type="button" onClick={() => remove(filters)}>
          {texts.clearAll}
        </button>
      )}
    </div>
  );
}
