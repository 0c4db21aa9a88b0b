import { timeTexts } from "../texts/times.ts";
import { useFormat } from "./format.ts";
import { useTexts } from "./i18n.tsx";

/** Returns a function that formats seconds as "45 s", "12 min" or "2 h 10 min". */
export function useDuration() {
  const texts = useTexts(timeTexts);
  const { number } = useFormat();
  return (seconds: number) => {
    const minutes = Math.round(seconds / 60);
    if (seconds < 60) return texts.seconds(number(seconds));
    if (minutes < 60) return texts.minutes(number(minutes));
    if (minutes >= 48 * 60) return texts.longer(number(Math.round(minutes / 1440)));
    return texts.hours(number(Math.floor(minutes / 60)), texts.minutes(number(minutes % 60)));
  };
}
