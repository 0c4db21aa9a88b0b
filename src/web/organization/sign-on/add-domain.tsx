import { Text, TextInput } from "@mantine/core";
import { useState } from "react";
import type { Schemas } from "../../../client/index.ts";
import { useClient } from "../../../client/react.ts";
import { useApiForm } from "../../lib/form.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { addDomainTexts } from "../../texts/sign-on-domains.ts";
import { Form } from "../../ui/form.tsx";

const MAX = 20;

export function AddDomain({ to: domains }: { readonly to: readonly Schemas["Domain"][] }) {
  const texts = useTexts(addDomainTexts);
  const client = useClient();
  const [added, setAdded] = useState<string | null>(null);
  const form = useApiForm({
    initialValues: { domain: "" },
    save: ({ domain }, idempotencyKey) =>
      client.request("POST /api/organization/domains", { body: { domain: domain.trim() }, idempotencyKey }),
    invalidates: ["GET /api/organization/domains"],
    onDone({ domain }) {
      setAdded(domain);
      form.form.reset();
    },
    fieldOf: { CONFLICT: "domain" },
    sentenceOf: { CONFLICT: domains.length >= MAX ? texts.tooMany(MAX) : texts.exists },
  });
  const isPending = domains.some(({ domain, status }) => domain === added && status === "PENDING");
  return (
    <Form of={form} submit={texts.add}>
      <TextInput
        label={texts.domain}
        description={texts.domainAbout}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        {...form.field("domain")}
      />
      <Text size="sm" role="status">
        {added !== null && isPending && texts.added(added)}
      </Text>
    </Form>
  );
}
