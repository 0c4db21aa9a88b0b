import { Checkbox, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { useApiQuery } from "../../client/react.ts";
import { useClient } from "../../client/session-hooks.ts";
import { useApiForm } from "../lib/form.ts";
import { useTexts } from "../lib/i18n.tsx";
import { announce } from "../lib/notice.ts";
import { save } from "../lib/save-file.ts";
import { profileTexts } from "../texts/profile.ts";
import { Form } from "../ui/form.tsx";
import { Section } from "../ui/page.tsx";
import { AccountPage } from "./account-page.tsx";
import { CurrentPassword, useMayLackPassword } from "./current-password.tsx";
import { Done } from "./done.tsx";

export function OwnData() {
  const texts = useTexts(profileTexts);
  return (
    <AccountPage title={texts.data}>
      <Export />
      <Deletion />
    </AccountPage>
  );
}

type Proof = { password: string; code: string };

/** Returns the entered password and code. Empty ones are omitted, because not every account has both. */
const given = ({ password, code }: Proof) => ({
  ...(password !== "" && { password }),
  ...(code !== "" && { code }),
});
const FIELDS = { INVALID_CREDENTIALS: "password", INVALID_TWO_FACTOR_CODE: "code" };

function ProofFields({ field }: { field: (path: "password" | "code") => object }) {
  const texts = useTexts(profileTexts);
  const { data: profile } = useApiQuery("GET /api/profile", {}, { staleTime: 60_000 });
  const mayLackPassword = useMayLackPassword();
  return (
    <div className="form-row">
      <CurrentPassword isOptional={mayLackPassword} field={field("password")} />
      {profile?.twoFactorEnabled && (
        <TextInput label={texts.anyCode} autoComplete="one-time-code" {...field("code")} />
      )}
    </div>
  );
}

function Export() {
  const client = useClient();
  const texts = useTexts(profileTexts);
  const form = useApiForm({
    initialValues: { password: "", code: "" },
    save: (proof) => client.request("POST /api/profile/export", { body: given(proof) }),
    onDone(archive) {
      save(archive, `personal-data-${new Date().toISOString().slice(0, 10)}.zip`);
      form.form.reset();
    },
    fieldOf: FIELDS,
    sentenceOf: { INVALID_CREDENTIALS: texts.wrongPassword },
  });
  return (
    <Section title={texts.exportTitle}>
      <Form of={form} submit={texts.export}>
        <Text size="sm">{texts.exportAbout}</Text>
        <ProofFields field={form.field} />
        <Done show={form.isSaved}>{texts.exported}</Done>
      </Form>
    </Section>
  );
}

function Deletion() {
  const client = useClient();
  const texts = useTexts(profileTexts);
  const [isUnderstood, setUnderstood] = useState(false);
  const form = useApiForm({
    initialValues: { password: "", code: "" },
    save: (proof) => client.request("POST /api/profile/delete", { body: given(proof) }),
    async onDone() {
      announce("deleted");
      // Refreshes the access token, so that the client notices that the session has ended.
      await client.refresh().catch(() => {});
    },
    fieldOf: FIELDS,
    sentenceOf: {
      INVALID_CREDENTIALS: texts.wrongPassword,
      LAST_ADMIN: texts.lastAdmin,
      CONFLICT: texts.subscriptionRenews,
    },
  });
  return (
    <Section title={texts.deleteTitle}>
      <Form of={form} submit={texts.delete} danger isDisabled={!isUnderstood}>
        <Text size="sm">{texts.deleteAbout}</Text>
        <ProofFields field={form.field} />
        <Checkbox
          label={texts.understood}
          checked={isUnderstood}
          onChange={({ currentTarget }) => setUnderstood(currentTarget.checked)}
        />
      </Form>
    </Section>
  );
}
