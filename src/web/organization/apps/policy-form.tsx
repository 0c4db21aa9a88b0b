import { Radio, Stack, Text } from "@mantine/core";
import { useCan, useClient } from "../../../client/react.ts";
import { useApiForm } from "../../lib/form.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { appSettingsTexts } from "../../texts/app-settings.ts";
import { Form } from "../../ui/form.tsx";
import { POLICIES, type Policy, useEnding } from "./use-ending.ts";

type Props = { readonly policy: Policy; readonly onSaved: () => void };

/** The form for who may connect apps. Before a narrower policy is saved, it says how many connected apps end. */
export function PolicyForm({ policy, onSaved }: Props) {
  const texts = useTexts(appSettingsTexts);
  const { number } = useFormat();
  const client = useClient();
  const mayUpdate = Boolean(useCan("Organization.Update"));
  const form = useApiForm({
    isGuarded: true,
    initialValues: { connectedApps: policy as Policy },
    save: (body) => client.request("PATCH /api/organization", { body }),
    invalidates: ["GET /api/organization", "GET /api/organization/connected-apps"],
    onDone: onSaved,
  });
  const chosen = form.form.values.connectedApps;
  const ending = useEnding(policy, chosen);
  return (
    <Form of={form} danger={Boolean(ending)} isDisabled={!mayUpdate || chosen === policy}>
      <Radio.Group aria-label={texts.policy} {...form.field("connectedApps")}>
        <Stack gap="sm">
          {POLICIES.map((name) => (
            <Radio
              key={name}
              value={name}
              label={texts[name]}
              description={texts[`${name}About`]}
              disabled={!mayUpdate}
            />
          ))}
        </Stack>
      </Radio.Group>
      <Text size="sm" role="status">
        {ending === undefined && texts.counting}
        {Boolean(ending) && texts.ending(number(ending ?? 0))}
      </Text>
    </Form>
  );
}
