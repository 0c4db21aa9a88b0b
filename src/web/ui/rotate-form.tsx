import { Select } from "@mantine/core";
import type { ReactNode } from "react";
import type { ActionOptions } from "../lib/action.ts";
import { useApiForm } from "../lib/form.ts";
import { useTexts } from "../lib/i18n.tsx";
import { overlapTexts } from "../texts/organization-shared.ts";
import { Form } from "./form.tsx";

const HOUR = 3600;
const DAY = 24 * HOUR;

type Props<Output> = ActionOptions<{ overlapSeconds: number }, Output> & {
  readonly texts: { readonly rotate: string; readonly overlap: string };
  readonly children?: ReactNode;
};

/** The form that replaces a secret, with a field for how long the former one still works. */
export function RotateForm<Output>({ run, texts, children, ...options }: Props<Output>) {
  const times = useTexts(overlapTexts);
  const form = useApiForm({
    initialValues: { overlapSeconds: String(DAY) },
    save: ({ overlapSeconds }, idempotencyKey) =>
      run({ overlapSeconds: Number(overlapSeconds) }, idempotencyKey),
    ...options,
  });
  return (
    <Form of={form} submit={texts.rotate}>
      {children}
      <Select
        label={texts.overlap}
        allowDeselect={false}
        data={[
          { value: "0", label: times.atOnce },
          { value: String(HOUR), label: times.hour },
          { value: String(DAY), label: times.day },
          { value: String(7 * DAY), label: times.week },
        ]}
        {...form.field("overlapSeconds")}
      />
    </Form>
  );
}
