import { Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import { useState } from "react";
import type { Schemas } from "../../client/index.ts";
import { useApiQuery } from "../../client/react.ts";
import { useClient } from "../../client/session-hooks.ts";
import { useApiForm } from "../lib/form.ts";
import { useFormat } from "../lib/format.ts";
import { useTexts } from "../lib/i18n.tsx";
import { profileTexts } from "../texts/profile.ts";
import { ConfirmButton } from "../ui/confirm-button.tsx";
import { ErrorAlert } from "../ui/error-alert.tsx";
import { Form } from "../ui/form.tsx";
import { Hint } from "../ui/hint.tsx";
import { Section } from "../ui/page.tsx";
import { CurrentPassword, useMayLackPassword } from "./current-password.tsx";

type Provider = Schemas["IdentityProvider"];

export function SignInMethods() {
  const texts = useTexts(profileTexts);
  const providers = useApiQuery("GET /api/auth/providers", {}, { staleTime: 600_000 });
  const identities = useApiQuery("GET /api/profile/identities");
  const [chosen, setChosen] = useState<Provider | null>(null);
  const error = providers.error ?? identities.error;
  const linked = identities.data;
  if (error === null && (providers.data === undefined || linked === undefined))
    return <Skeleton height={80} />;
  const own = linked?.filter(({ connectionId }) => connectionId === null);
  const throughOrganizations = linked?.filter(({ connectionId }) => connectionId !== null) ?? [];
  if (providers.data?.length === 0 && own?.length === 0)
    return throughOrganizations.length === 0 ? null : (
      <ThroughOrganizations identities={throughOrganizations} />
    );
  const others = (providers.data ?? []).filter(
    ({ key }) => !linked?.some(({ provider }) => provider === key),
  );
  return (
    <>
      <Section title={texts.methods}>
        <Text size="sm">{own?.length === 0 ? texts.noMethods : texts.methodsAbout}</Text>
        <ErrorAlert
          error={error}
          onRetry={() => void Promise.all([providers.refetch(), identities.refetch()])}
        />
        <div className="rows">
          {own?.map((identity) => (
            <Linked key={identity.provider} identity={identity} />
          ))}
        </div>
        {chosen === null ? (
          <Group justify="flex-end" mt="sm">
            {others.map((provider) => (
              <Button key={provider.key} variant="default" onClick={() => setChosen(provider)}>
                {texts.link(provider.name)}
              </Button>
            ))}
          </Group>
        ) : (
          <LinkForm provider={chosen} onCancel={() => setChosen(null)} />
        )}
      </Section>
      {throughOrganizations.length > 0 && <ThroughOrganizations identities={throughOrganizations} />}
    </>
  );
}

/** The identities at connections of organizations, which only the organization removes. */
function ThroughOrganizations({ identities }: { identities: Schemas["Identity"][] }) {
  const texts = useTexts(profileTexts);
  const { date } = useFormat();
  return (
    <Section title={texts.throughOrganizations}>
      <Text size="sm">{texts.throughOrganizationsAbout}</Text>
      <div className="rows">
        {identities.map(({ connectionId, organization, name, email, linkedAt }) => (
          <div key={connectionId}>
            <div>
              <Text fw={600} size="sm">
                {organization?.name ?? name}
              </Text>
              <Hint>{[name, email, texts.linked(date(linkedAt))].filter(Boolean).join(" · ")}</Hint>
            </div>
          </div>
        ))}
      </div>
    </Section>
  );
}

function Linked({ identity }: { identity: Schemas["Identity"] }) {
  const client = useClient();
  const texts = useTexts(profileTexts);
  const { date } = useFormat();
  const { provider, name, email, linkedAt } = identity;
  return (
    <div>
      <div>
        <Text fw={600} size="sm">
          {name}
        </Text>
        <Hint>{[email, texts.linked(date(linkedAt))].filter(Boolean).join(" · ")}</Hint>
      </div>
      <ConfirmButton
        size="compact-sm"
        label={texts.unlink}
        question={texts.unlinkAbout(name)}
        sentenceOf={{ CONFLICT: texts.lastMethod }}
        run={() => client.request("DELETE /api/profile/identities/{provider}", { path: { provider } })}
        invalidates={["GET /api/profile/identities"]}
      />
    </div>
  );
}

function LinkForm({ provider, onCancel }: { provider: Provider; onCancel: () => void }) {
  const client = useClient();
  const texts = useTexts(profileTexts);
  const mayLackPassword = useMayLackPassword();
  const form = useApiForm({
    initialValues: { password: "" },
    save: ({ password }) =>
      client.request("POST /api/profile/identities/{provider}", {
        path: { provider: provider.key },
        body: password === "" ? {} : { password },
      }),
    onDone: ({ url }) => location.assign(url),
    fieldOf: { INVALID_CREDENTIALS: "password" },
    sentenceOf: { INVALID_CREDENTIALS: texts.wrongPassword },
  });
  return (
    <Stack mt="sm">
      <Form of={form} submit={texts.link(provider.name)} onCancel={onCancel}>
        <Text size="sm">{texts.linkAbout(provider.name)}</Text>
        <CurrentPassword isOptional={mayLackPassword} autoFocus field={form.field("password")} />
      </Form>
    </Stack>
  );
}
