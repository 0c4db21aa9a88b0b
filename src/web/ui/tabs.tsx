import { Link } from "@tanstack/react-router";
import { useFormat } from "../lib/format.ts";
import { type Maybe, present } from "../lib/present.ts";

export type Tab = {
  readonly to: string;
  readonly label: string;
  /** How many records the page lists; absent until it is known. */
  readonly count?: number | undefined;
};

/** Links to the pages about one record or topic, below their common heading; the router marks the current one. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Maybe<Tab>[] }) {
  const { number } = useFormat();
  return (
    <nav className="tabs" aria-label={label}>
      {present(tabs).map(({ to, label: text, count }) => (
        <Link key={to} to={to} activeOptions={{ exact: true, includeSearch: false }}>
          {text} {count !== undefined && <span className="dimmed">{number(count)}</span>}
        </Link>
      ))}
    </nav>
  );
}
