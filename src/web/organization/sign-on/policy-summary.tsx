import { Stack } from "@mantine/core";
import { useClient } from "../../../client/react.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { policyTexts } from "../../texts/sign-on-policy.ts";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { Fact } from "../../ui/fact.tsx";
import { BreakGlassList } from "./break-glass.tsx";
import type { SignOnPolicy } from "./policy-values.ts";
import { useSignOnRights } from "./rights.ts";

/** The policy for readers. Platform administrators may turn it off. */
export function PolicySummary({ of: policy }: { readonly of: SignOnPolicy }) {
  const texts = useTexts(policyTexts);
  const { number } = useFormat();
  const client = useClient();
  const { isPlatformAdmin, mayEnd } = useSignOnRights();
  const { scope, requireTwoFactor, announced, maxSessionHours, reauthenticationMinutes } = policy;
  const lines = [
    [texts.scope, texts[scope]],
    [texts.requireTwoFactor, requireTwoFactor ? texts.yes : texts.no],
    [texts.maxSessionHours, maxSessionHours === null ? texts.usual : number(maxSessionHours)],
    [
      texts.reauthenticationMinutes,
      reauthenticationMinutes === null ? texts.usual : number(reauthenticationMinutes),
    ],
  ] as const;
  return (
    <Stack gap="sm" align="flex-start">
      {lines.map(([name, value]) => (
        <Fact key={name} title={name}>
          {value}
        </Fact>
      ))}
      <BreakGlassList of={policy} />
      {isPlatformAdmin && mayEnd && (scope !== "off" || announced !== null) && (
        <ConfirmButton
          label={texts.turnOff}
          question={texts.turnOffQuestion}
          run={() => client.request("PATCH /api/organization/sign-on", { body: { scope: "off" } })}
          invalidates={["GET /api/organization/sign-on", "GET /api/organization/sign-on/affected"]}
        />
      )}
    </Stack>
  );
}
