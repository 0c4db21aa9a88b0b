import type { ReactNode } from "react";
import { useTexts } from "../../lib/i18n.tsx";
import { stepTexts } from "../../texts/sign-on.ts";
import { Section } from "../../ui/page.tsx";

type Props = {
  /** The title with the number of the step. */
  readonly title: string;
  /** Undefined until it is known. */
  readonly isDone: boolean | undefined;
  readonly children?: ReactNode;
};

/** A step of the setup of single sign-on: a section whose heading says whether the step is done. */
export function Step({ title, isDone, children }: Props) {
  const texts = useTexts(stepTexts);
  const state = isDone !== undefined && (
    <span className="tag" data-tone={isDone ? "good" : "warn"}>
      {isDone ? texts.done : texts.pending}
    </span>
  );
  return (
    <Section title={title} state={state}>
      {children}
    </Section>
  );
}
