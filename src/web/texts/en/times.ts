export const timeTexts = {
  period: "Period",
  days: "{count} days",
  longer: "{count} days",
  seconds: "{count} s",
  minutes: "{count} min",
  hours: "{hours} h {minutes}",
} as const;
