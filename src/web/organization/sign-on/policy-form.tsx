import { Radio, Stack, Switch, TextInput, Title } from "@mantine/core";
import { useId } from "react";
import { useClaims } from "../../lib/claims.ts";
import { useApiForm } from "../../lib/form.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { policyTexts } from "../../texts/sign-on-policy.ts";
import { Form } from "../../ui/form.tsx";
import { Affected, useAffected } from "./affected.tsx";
import {
  changeOf,
  isStricter,
  type PolicyChange,
  SCOPES,
  type SignOnPolicy,
  valuesOf,
} from "./policy-values.ts";

/** Fields with their limits, in hours and minutes. */
const DURATIONS = [
  ["maxSessionHours", 1, 720],
  ["reauthenticationMinutes", 5, 1440],
] as const;

type Props = {
  readonly of: SignOnPolicy;
  readonly change: (body: PolicyChange) => Promise<void>;
  /** Whether somebody else has changed the policy since the form was filled. */
  readonly isStale: boolean;
  readonly onSaved: () => void;
};

/** The form for the rules of the policy. Its button says how many members could not act under them. */
export function PolicyForm({ of: policy, change, isStale, onSaved }: Props) {
  const texts = useTexts(policyTexts);
  const { number } = useFormat();
  const id = useId();
  const before = valuesOf(policy);
  const { userId: me } = useClaims();
  const isReady =
    policy.breakGlass.every(({ usable }) => usable) && policy.breakGlass.some(({ userId }) => userId === me);
  const form = useApiForm({
    isGuarded: true,
    initialValues: before,
    save: (values, _key, changed) => change(changeOf(policy, values, changed)),
    invalidates: ["GET /api/organization/sign-on", "GET /api/organization/sign-on/affected"],
    onDone: onSaved,
    sentenceOf: {
      CONNECTION_NOT_TESTED: texts.notTested,
      DOMAIN_NOT_VERIFIED: texts.noDomain,
      BREAK_GLASS_REQUIRED: isReady ? texts.twoFactorsNeeded : texts.breakGlassNeeded,
      ...(!isStale && { CONFLICT: texts.showTwoFactors }),
    },
  });
  const { values } = form.form;
  const affected = useAffected(values);
  const isOther = values.scope !== before.scope || values.requireTwoFactor !== before.requireTwoFactor;
  const count = isOther || values.enforceFrom !== before.enforceFrom ? (affected.count ?? 0) : 0;
  const submit = count === 1 ? texts.saveAffectedOne : texts.saveAffected(number(count));
  return (
    <section className="sign-on-policy" aria-labelledby={id}>
      <Title order={3} size="h5" id={id} mb="xs">
        {texts.rules}
      </Title>
      <Form
        of={form}
        submit={count > 0 ? submit : texts.save}
        danger={count > 0}
        isDisabled={isOther && affected.isLoading}
      >
        <Radio.Group label={texts.scope} {...form.field("scope")}>
          <Stack gap="xs" mt="xs">
            {SCOPES.map((scope) => (
              <Radio key={scope} value={scope} label={texts[scope]} />
            ))}
          </Stack>
        </Radio.Group>
        <Switch
          label={texts.requireTwoFactor}
          description={texts.requireTwoFactorAbout}
          {...form.form.getInputProps("requireTwoFactor", { type: "checkbox" })}
        />
        <Affected of={affected} />
        {isStricter(policy, values) && (
          <TextInput
            type="datetime-local"
            label={texts.enforceFrom}
            description={texts.enforceFromAbout}
            {...form.field("enforceFrom")}
          />
        )}
        <div className="form-row">
          {DURATIONS.map(([name, min, max]) => (
            <TextInput
              key={name}
              type="number"
              min={min}
              max={max}
              label={texts[name]}
              description={texts[`${name}About`]}
              {...form.field(name)}
            />
          ))}
        </div>
      </Form>
    </section>
  );
}
