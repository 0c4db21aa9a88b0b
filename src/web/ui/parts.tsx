import { Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useId } from "react";
import { Sparkline } from "./chart.tsx";

export type Series = readonly { readonly day: string; readonly count: number }[];

export function Part({
  title,
  link,
  about,
  children,
}: {
  title: string;
  link?: { readonly to: string; readonly text: string } | undefined;
  about?: ReactNode;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <div className="part-head">
        <Title order={2} size="h4" id={id}>
          {title}
        </Title>
        {about}
        {link !== undefined && (
          <Link to={link.to}>
            {link.text} <span aria-hidden="true">→</span>
          </Link>
        )}
      </div>
      {children}
    </section>
  );
}

export function Figure({
  label,
  value,
  series,
  link,
}: {
  label: string;
  value: string;
  series?: Series | undefined;
  /** The list of the records that the value counts. */
  link?: { readonly to: string; readonly search: Record<string, unknown> } | undefined;
}) {
  return (
    <div className="figure">
      <div className="figure-label">
        {link === undefined ? (
          label
        ) : (
          <Link to={link.to} search={link.search as never}>
            {label}
          </Link>
        )}
      </div>
      <div className="figure-value">{value}</div>
      {series !== undefined && <Sparkline values={series.map(({ count }) => count)} />}
    </div>
  );
}

export const sumOf = (series: Series) => series.reduce((sum, { count }) => sum + count, 0);

/**
 * Combines days into groups of `size` days, and returns the sum of each group. Only the first group may have fewer
 * days. A chart of 90 days has a bar for each week.
 */
export function grouped(series: Series, size: number) {
  const groups: { day: string; count: number }[] = [];
  for (let end = series.length; end > 0; end -= size) {
    const days = series.slice(Math.max(end - size, 0), end);
    groups.unshift({ day: days[0]?.day ?? "", count: sumOf(days) });
  }
  return groups;
}
