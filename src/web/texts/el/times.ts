export const timeTexts = {
  period: "Περίοδος",
  days: "{count} ημέρες",
  longer: "{count} ημέρες",
  seconds: "{count} δευτ.",
  minutes: "{count} λεπτά",
  hours: "{hours} ώρ. {minutes}",
} as const;
