import { Alert, Button, Stack } from "@mantine/core";
import { useContext, useState } from "react";
import { ApiError } from "../../../client/index.ts";
import { useClient } from "../../../client/react.ts";
import { Invalidation } from "../../lib/action.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { useSavedNote } from "../shared/saved.tsx";
import { BreakGlass } from "./break-glass.tsx";
import { PolicyForm } from "./policy-form.tsx";
import { policyTexts } from "./policy-texts.ts";
import type { PolicyChange, SignOnPolicy } from "./policy-values.ts";

type Props = {
  readonly of: SignOnPolicy;
  /** Called to discard what is entered, and to show the newest policy. */
  readonly onReload: () => void;
};

/**
 * The forms of the policy. Both are based on the version that they were filled with, so that neither undoes what somebody
 * else has changed meanwhile.
 */
export function PolicyEditor({ of: policy, onReload }: Props) {
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
