import { Alert, Button, Stack, Text } from "@mantine/core";
import { useContext, useState } from "react";
import { ApiError } from "../../../client/index.ts";
import { useApiQuery, useClient } from "../../../client/react.ts";
import { Invalidation } from "../../lib/action.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { policyTexts } from "../../texts/sign-on-policy.ts";
import { Hint } from "../../ui/hint.tsx";
import { Pending } from "../../ui/pending.tsx";
import { useSavedNote } from "../shared/saved.tsx";
import { BreakGlass } from "./break-glass.tsx";
import { PolicyForm } from "./policy-form.tsx";
import { PolicySummary } from "./policy-summary.tsx";
import type { PolicyChange, SignOnPolicy } from "./policy-values.ts";
import { useSignOnRights } from "./rights.ts";
import { Step } from "./step.tsx";

/** The sign-on policy of the organization: who must sign in through it, and who never has to. */
export function Policy() {
  const texts = useTexts(policyTexts);
  const { mayUpdate } = useSignOnRights();
  const query = useApiQuery("GET /api/organization/sign-on");
  const { data: policy } = query;
  const [round, setRound] = useState(0);
  const rules = policy?.announced ?? policy;
  return (
    <Step title={texts.title} isDone={rules && (rules.scope !== "off" || rules.requireTwoFactor)}>
      <Stack gap="md">
        <Hint>{texts.about}</Hint>
        <Pending of={query} height={200} />
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

type EditorProps = {
  readonly of: SignOnPolicy;
  /** Called to discard what is entered, and to show the newest policy. */
  readonly onReload: () => void;
};

/**
 * The forms of the policy. Both are based on the version that they were filled with, so that neither undoes what somebody
 * else has changed meanwhile.
 */
function PolicyEditor({ of: policy, onReload }: EditorProps) {
  const texts = useTexts(policyTexts);
  const client = useClient();
  const invalidate = useContext(Invalidation);
  const [version, setVersion] = useState(policy.version);
  const saved = useSavedNote();
  const isStale = policy.version > version;

  async function change(body: PolicyChange) {
    try {
      const changed = await client.request("PATCH /api/organization/sign-on", { body: { ...body, version } });
      setVersion(changed.version);
    } catch (error) {
      // Finds out whether somebody else has changed the policy.
      if (error instanceof ApiError && error.code === "CONFLICT")
        await invalidate(["GET /api/organization/sign-on"]);
      throw error;
    }
  }
  return (
    <Stack gap="lg">
      {isStale && (
        <Alert color="yellow" variant="outline" className="alert-text" role="status" title={texts.changed}>
          <Button variant="default" size="xs" onClick={onReload}>
            {texts.load}
          </Button>
        </Alert>
      )}
      <BreakGlass of={policy} change={change} />
      <PolicyForm key={saved.version} of={policy} change={change} isStale={isStale} onSaved={saved.onSaved} />
      {saved.note}
    </Stack>
  );
}
