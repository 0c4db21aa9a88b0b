import { dictionary } from "./dictionary.ts";

export const timeTexts = dictionary({
  period: { en: "Period", el: "Περίοδος" },
  days: { en: "{count} days", el: "{count} ημέρες" },
  longer: { en: "{count} days", el: "{count} ημέρες" },
  seconds: { en: "{count} s", el: "{count} δευτ." },
  minutes: { en: "{count} min", el: "{count} λεπτά" },
  hours: { en: "{hours} h {minutes}", el: "{hours} ώρ. {minutes}" },
});
