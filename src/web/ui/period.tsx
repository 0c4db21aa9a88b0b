import { useFormat } from "../lib/format.ts";
import { useTexts } from "../lib/i18n.tsx";
import { timeTexts } from "../texts/times.ts";

const PERIODS = [7, 30, 90] as const;
export type Days = (typeof PERIODS)[number];

export function Period({ days, onChange }: { days: Days; onChange: (days: Days) => void }) {
  const texts = useTexts(timeTexts);
  const { number } = useFormat();
  return (
    <fieldset className="segments" aria-label={texts.period}>
      {PERIODS.map((period) => (
        <button key={period} type="button" aria-pressed={period === days} onClick={() => onChange(period)}>
          {texts.days(number(period))}
        </button>
      ))}
    </fieldset>
  );
}
