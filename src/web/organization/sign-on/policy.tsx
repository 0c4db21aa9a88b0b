import { Alert, Skeleton, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useApiQuery } from "../../../client/react.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { ErrorAlert } from "../../ui/error-alert.tsx";
import { Hint } from "../../ui/hint.tsx";
import { PolicyEditor } from "./policy-editor.tsx";
import { PolicySummary } from "./policy-summary.tsx";
import { policyTexts } from "./policy-texts.ts";
import type { SignOnPolicy } from "./policy-values.ts";
import { useSignOnRights } from "./rights.ts";
import { Step } from "./step.tsx";

/** The sign-on policy of the organization: who must sign in through it, and who never has to. */
export function Policy() {
  const texts = useTexts(policyTexts);
  const { mayUpdate } = useSignOnRights();
  const { data: policy, error, refetch } = useApiQuery("GET /api/organization/sign-on");
  const [round, setRound] = useState(0);
  const rules = policy?.announced ?? policy;
  return (
    <Step title={texts.title} isDone={rules && (rules.scope !== "off" || rules.requireTwoFactor)}>
      <Stack gap="md">
        <Hint>{texts.about}</Hint>
        <ErrorAlert error={error} onRetry={() => void refetch()} />
        {policy === undefined && error === null && <Skeleton height={200} />}
        {policy?.announced && <Announced of={policy.announced} />}
        {policy !== undefined && !mayUpdate && <PolicySummary of={policy} />}
        {policy !== undefined && mayUpdate && (
          <PolicyEditor key={round} of={policy} onReload={() => setRound(round + 1)} />
        )}
      </Stack>
    </Step>
  );
}

/** What is announced, and from when on it holds. */
function Announced({ of: announced }: { of: NonNullable<SignOnPolicy["announced"]> }) {
  const texts = useTexts(policyTexts);
  const { dateTime } = useFormat();
  const { scope, requireTwoFactor, enforceFrom } = announced;
  return (
    <Alert variant="outline" className="alert-text" title={texts.announced(dateTime(enforceFrom))}>
      {scope !== "off" && <Text size="sm">{texts[scope]}</Text>}
      {requireTwoFactor && <Text size="sm">{texts.announcedTwoFactor}</Text>}
      <Hint>{texts.announcedAbout}</Hint>
    </Alert>
  );
}
