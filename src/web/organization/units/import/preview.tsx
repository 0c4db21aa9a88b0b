import { useMemo } from "react";
import type { Schemas } from "../../../../client/index.ts";
import { useFormat } from "../../../lib/format.ts";
import { useTexts } from "../../../lib/i18n.tsx";
import { importTexts } from "../../../texts/import-units.ts";
import { Hint } from "../../../ui/hint.tsx";
import { keyOf } from "./parse.ts";

type Unit = Schemas["BulkUnit"];

const SHOWN = 1_000;
const TOP = keyOf([]);

/** Shows the units of a request as a tree; those that do not exist yet are marked. */
export function Preview({ units }: { units: readonly Unit[] }) {
  const texts = useTexts(importTexts);
  const { number } = useFormat();
  const below = useMemo(() => {
    const children = new Map<string, Unit[]>();
    for (const unit of units.slice(0, SHOWN)) {
      const key = keyOf(unit.path.slice(0, -1));
      children.set(key, [...(children.get(key) ?? []), unit]);
    }
    return children;
  }, [units]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: an area that scrolls must be reachable by keyboard
    <section className="panel import-tree" tabIndex={0} aria-label={texts.preview}>
      <Branch below={below} of={TOP} />
      {units.length > SHOWN && <Hint size="xs">{texts.more(number(units.length - SHOWN))}</Hint>}
    </section>
  );
}

function Branch({ below, of }: { below: ReadonlyMap<string, Unit[]>; of: string }) {
  const texts = useTexts(importTexts);
  const units = below.get(of);
  if (units === undefined) return null;
  return (
    <ul className="plain-list">
      {units.map(({ path, outcome }) => (
        <li key={keyOf(path)}>
          <span className="break">{path.at(-1)}</span>{" "}
          <span className="tag" data-tone={outcome === "created" ? "good" : undefined}>
            {outcome === "created" ? texts.isNew : texts.exists}
          </span>
          <Branch below={below} of={keyOf(path)} />
        </li>
      ))}
    </ul>
  );
}
