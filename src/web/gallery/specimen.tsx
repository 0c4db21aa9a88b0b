import type { ReactNode } from "react";

/** A component in one or more states. Its golden image is compared separately from the others. */
export function Specimen({
  name,
  isWide = false,
  children,
}: {
  name: string;
  isWide?: boolean;
  children: ReactNode;
}) {
  const column = isWide ? "1 / -1" : undefined;
  return (
    <section data-specimen={name} style={{ minWidth: 0, padding: 12, gridColumn: column }} aria-label={name}>
      <div style={{ display: "flex", flexWrap: "wrap", gap: 8, alignItems: "center" }}>{children}</div>
    </section>
  );
}

/** A part of a specimen that has the full width, or a width in pixels. */
export const Wide = ({ width, children }: { width?: number; children: ReactNode }) => (
  <div style={{ flexBasis: width ?? "100%", minWidth: 0 }}>{children}</div>
);
