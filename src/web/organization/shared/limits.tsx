import type { Schemas } from "../../../client/index.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { limitTexts } from "../../texts/organization-shared.ts";
import { Meter } from "../../ui/chart.tsx";

const HIGH = 0.9;

export function Limits({ of: limits }: { of: Schemas["Billing"]["limits"] }) {
  const texts = useTexts(limitTexts);
  const { number, longDay } = useFormat();
  return (
    <div className="meters">
      {limits.map(({ name, label, limit, used, resetsAt }) => (
        <Meter
          key={name}
          label={label}
          part={limit === null ? null : used / Math.max(limit, 1)}
          isHigh={limit !== null && used >= HIGH * limit}
          text={limit === null ? texts.unlimited(number(used)) : texts.of(number(used), number(limit))}
        >
          {limit !== null && used >= limit && <span className="figure-label">{texts.full}</span>}{" "}
          {resetsAt && <span className="figure-label">{texts.resets(longDay(resetsAt))}</span>}
        </Meter>
      ))}
    </div>
  );
}
