import { useTexts } from "../../../lib/i18n.tsx";
import { violationText } from "../../../lib/violation-texts.ts";
import { errorTexts } from "../../../texts/errors.ts";
import { inviteManyTexts } from "../../../texts/invite-many.ts";
import { violationTexts } from "../../../texts/violations.ts";
import type { Result } from "./requests.ts";
import type { Row } from "./rows.ts";

export type Outcome = { readonly state: "refused" | "accepted" | "open"; readonly text: string };

export function useOutcome(isSent: boolean): (row: Row, result: Result | undefined) => Outcome {
  const texts = useTexts(inviteManyTexts);
  const errors: Partial<Record<string, string>> = useTexts(errorTexts);
  const sentences = useTexts(violationTexts);
  const reasonOf = ({ code, violation }: Result): string => {
    if (violation !== undefined) return violationText(sentences, violation.path, violation.message);
    if (code === "DUPLICATE") return texts.repeated;
    if (code === "TOO_MANY_REQUESTS") return texts.laterMails;
    if (code === "CONFLICT") return texts.outOfReach;
    return errors[code ?? ""] ?? errors.VALIDATION_FAILED ?? "";
  };
  return ({ problem }, result) => {
    if (problem !== null) return { state: "refused", text: texts[problem] };
    if (result === undefined) return { state: "open", text: isSent ? texts.notSent : texts.unchecked };
    if (result.outcome === "refused") return { state: "refused", text: reasonOf(result) };
    const isNew = result.outcome === "invited";
    const text = result.isSent
      ? isNew
        ? texts.didInvite
        : texts.didSupersede
      : isNew
        ? texts.willInvite
        : texts.willSupersede;
    return { state: "accepted", text };
  };
}
