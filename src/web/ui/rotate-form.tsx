import { Select } from "@mantine/core";
import { useTexts } from "../lib/i18n.tsx";
import { overlapTexts } from "../texts/organization-shared.ts";

const HOUR = 3600;
const DAY = 24 * HOUR;
/** The initial value of the field, in seconds. */
export const DEFAULT_OVERLAP = String(DAY);

/** The field of a form for how long a replaced secret still works. */
export function Overlap({ label, ...field }: { label: string; onChange: (value: string | null) => void }) {
  const texts = useTexts(overlapTexts);
  return (
    <Select
      label={label}
      allowDeselect={false}
      data={[
        { value: "0", label: texts.atOnce },
        { value: String(HOUR), label: texts.hour },
        { value: String(DAY), label: texts.day },
        { value: String(7 * DAY), label: texts.week },
      ]}
      {...field}
    />
  );
}
