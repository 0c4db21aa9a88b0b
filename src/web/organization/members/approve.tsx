import { Button, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useState } from "react";
import type { Schemas } from "../../../client/index.ts";
import { useApiQuery, useCan, useClient } from "../../../client/react.ts";
import { useApiForm } from "../../lib/form.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { joinRequestTexts } from "../../texts/joining.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Form } from "../../ui/form.tsx";
import { Grants } from "../shared/grants.tsx";
import { inputOf, RoleFields, useRoleOptions } from "../shared/role-fields.tsx";

type Props = {
  readonly request: Schemas["JoinRequest"];
  readonly name: string;
  readonly onClose: () => void;
};

export function Approve({ request, name, onClose }: Props) {
  const texts = useTexts(joinRequestTexts);
  const [isOpen, { open, close }] = useDisclosure();
  const leave = () => {
    close();
    // The request may have ended meanwhile.
    onClose();
  };
  return (
    <>
      <Button size="xs" aria-label={texts.approveTitle(name)} onClick={open}>
        {texts.approve}
      </Button>
      <Dialog isOpen={isOpen} onClose={leave} title={texts.approveTitle(name)}>
        <ApproveForm request={request} onDone={leave} />
      </Dialog>
    </>
  );
}

/** Approves with the roles of the domain, which are not sent, unless the user chooses others. */
function ApproveForm({ request, onDone }: { request: Schemas["JoinRequest"]; onDone: () => void }) {
  const texts = useTexts(joinRequestTexts);
  const client = useClient();
  const preset = usePreset(request.domain);
  const [choosesRoles, setChoosesRoles] = useState(false);
  const form = useApiForm({
    initialValues: { assignments: inputOf([]) },
    save: ({ assignments }, idempotencyKey) =>
      client.request("POST /api/members/join-requests/{id}/approve", {
        path: { id: request.id },
        body: choosesRoles ? { assignments } : {},
        idempotencyKey,
      }),
    invalidates: ["GET /api/members/join-requests", "GET /api/members", "GET /api/organization/billing"],
    onDone,
    sentenceOf: { NOT_FOUND: texts.ended, ALREADY_MEMBER: texts.joined },
  });
  function chooseRoles() {
    form.form.setFieldValue("assignments", preset?.length ? inputOf(preset) : [{ roleId: "", unitId: null }]);
    setChoosesRoles(true);
  }
  return (
    <Form of={form} submit={texts.approve} onCancel={onDone}>
      {choosesRoles ? (
        <Roles form={form} preset={preset ?? []} />
      ) : (
        <Stack gap="sm" align="flex-start">
          <Text size="sm">
            {preset === undefined && texts.presetRoles(request.domain)}
            {preset?.length === 0 && texts.defaultRole}
            {preset && preset.length > 0 && texts.usualRoles(request.domain)}
          </Text>
          {preset && preset.length > 0 && <Grants of={preset} all />}
          <Button variant="default" size="xs" onClick={chooseRoles}>
            {texts.chooseRoles}
          </Button>
        </Stack>
      )}
    </Form>
  );
}

type RolesProps = {
  readonly form: Parameters<typeof RoleFields>[0]["of"];
  readonly preset: Schemas["Assignment"][];
};

function Roles({ form, preset }: RolesProps) {
  const { roles, units } = useRoleOptions();
  return <RoleFields of={form} assigned={preset} roles={roles} units={units} whole />;
}

/** Returns the roles that the domain gives to people who join; undefined for users who may not see its settings. */
function usePreset(domain: string): Schemas["Assignment"][] | undefined {
  const maySee = useCan("SingleSignOn.Read") === true;
  const { data } = useApiQuery("GET /api/organization/domains", {}, { enabled: maySee, staleTime: 30_000 });
  return data?.data.find((row) => row.domain === domain)?.joinAssignments ?? undefined;
}
