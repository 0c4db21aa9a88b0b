import { Radio, Select, Stack } from "@mantine/core";
import type { Schemas } from "../../../client/index.ts";
import { useApiQuery, useClient } from "../../../client/react.ts";
import { useApiForm } from "../../lib/form.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { domainSettingsTexts } from "../../texts/sign-on-domains.ts";
import { DialogButton } from "../../ui/dialog.tsx";
import { Fact } from "../../ui/fact.tsx";
import { Form } from "../../ui/form.tsx";
import { Hint } from "../../ui/hint.tsx";
import { useLabels } from "../../ui/labels.ts";
import { inputOf } from "../shared/role-fields.tsx";
import { DefaultRoles } from "./default-roles.tsx";

type Props = { readonly of: Schemas["Domain"] };

const NO_CONNECTION = "none";
const JOIN_MODES = ["off", "request", "automatic"] as const;

const useConnections = () => useApiQuery("GET /api/organization/connections", {}, { staleTime: 30_000 });

export function DomainUse({ of: { connectionId, join, joinAssignments } }: Props) {
  const texts = useTexts(domainSettingsTexts);
  const { list } = useFormat();
  const words = useLabels();
  const { data: connections } = useConnections();
  const connection = connections?.data.find(({ id }) => id === connectionId);
  const roles = (joinAssignments ?? []).map(({ role, unit }) => words.grant(role.name, unit?.name ?? null));
  return (
    <div>
      <Fact title={texts.connection}>
        {connectionId === null ? texts.noConnection : (connection?.name ?? "…")}
      </Fact>
      <Fact title={texts.join}>
        {texts[join ?? "off"]}
        {join !== "off" && ` (${roles.length === 0 ? texts.defaultRole : list(roles)})`}
      </Fact>
    </div>
  );
}

export function DomainSettings({ of: domain }: Props) {
  const texts = useTexts(domainSettingsTexts);
  return (
    <DialogButton label={texts.edit} title={texts.editTitle(domain.domain)}>
      {(close) => <SettingsForm of={domain} onClose={close} />}
    </DialogButton>
  );
}

function SettingsForm({ of: domain, onClose }: Props & { readonly onClose: () => void }) {
  const texts = useTexts(domainSettingsTexts);
  const client = useClient();
  const { data: connections } = useConnections();
  const { id, status } = domain;
  const joinAssignments = domain.joinAssignments ?? [];
  const form = useApiForm({
    initialValues: {
      connectionId: domain.connectionId ?? NO_CONNECTION,
      join: domain.join ?? "off",
      joinAssignments: inputOf(joinAssignments),
    },
    save: (_values, _key, { connectionId, ...changed }) =>
      client.request("PATCH /api/organization/domains/{id}", {
        path: { id },
        body: {
          ...changed,
          ...(connectionId && { connectionId: connectionId === NO_CONNECTION ? null : connectionId }),
        },
      }),
    invalidates: [
      "GET /api/organization/domains",
      "GET /api/organization/connections",
      "GET /api/organization/sign-on/affected",
    ],
    onDone: onClose,
    fieldOf: { PERMISSION_NOT_HELD: "joinAssignments", DOMAIN_NOT_VERIFIED: "join" },
  });
  const { join } = form.form.values;
  const isOffered = status === "VERIFIED" || domain.join !== "off";
  return (
    <Form of={form} onCancel={onClose}>
      <Select
        label={texts.connection}
        description={texts.connectionAbout}
        allowDeselect={false}
        data={[
          { value: NO_CONNECTION, label: texts.noConnection },
          ...(connections?.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
        ]}
        {...form.field("connectionId")}
      />
      {!isOffered && <Hint>{texts.needsVerified}</Hint>}
      {isOffered && (
        <Radio.Group label={texts.join} description={texts.joinAbout} {...form.field("join")}>
          <Stack gap="xs" mt="xs">
            {JOIN_MODES.map((mode) => (
              <Radio key={mode} value={mode} label={texts[mode]} />
            ))}
          </Stack>
        </Radio.Group>
      )}
      {join !== "off" && (
        <DefaultRoles
          name="joinAssignments"
          label={texts.roles}
          description={texts.rolesAbout}
          assigned={joinAssignments}
          errors={form.form.errors}
          {...form.field("joinAssignments")}
        />
      )}
    </Form>
  );
}
