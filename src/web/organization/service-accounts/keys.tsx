import { Badge, Text } from "@mantine/core";
import { useState } from "react";
import type { Schemas } from "../../../client/index.ts";
import { useCan, useClient } from "../../../client/react.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { useList } from "../../lib/list.ts";
import { keyTexts } from "../../texts/service-accounts.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Hint } from "../../ui/hint.tsx";
import { Section } from "../../ui/page.tsx";
import { RowMenu } from "../../ui/row-menu.tsx";
import { CHANGED_BY_KEYS, EditKey } from "./edit-key.tsx";
import { NewKey, RotateKey, ShownKey } from "./key-dialogs.tsx";

export function Keys({ accountId }: { accountId: string }) {
  const texts = useTexts(keyTexts);
  const mayCreate = useCan("ApiKeys.Create");
  // The new key is stored in the state of the list. The dialog could not store it, because it is removed with the
  // row of the replaced key.
  const [shown, setShown] = useState<Schemas["NewApiKey"] | null>(null);
  const list = useList(
    "GET /api/service-accounts/{id}/keys",
    { sort: "createdAt", order: "desc" },
    { path: { id: accountId } },
  );
  const columns: Column<Schemas["ApiKey"]>[] = [
    { title: texts.name, render: (key) => <Name of={key} /> },
    { title: texts.start, render: ({ start }) => `${start}…` },
    {
      title: texts.status,
      render: ({ status }) => (
        <Badge variant="default" c={status === "ACTIVE" ? undefined : "dimmed"}>
          {texts[status]}
        </Badge>
      ),
    },
    { title: texts.lastUsed, sort: "lastUsedAt", render: (key) => <LastUse of={key} /> },
    { title: texts.ends, sort: "expiresAt", render: (key) => <End of={key} /> },
    { title: texts.creator, render: (key) => <Creator of={key} /> },
    { title: "", render: (key) => <Actions accountId={accountId} of={key} onCreated={setShown} /> },
  ];
  return (
    <Section title={texts.keys} actions={mayCreate && <NewKey accountId={accountId} onCreated={setShown} />}>
      <DataTable
        label={texts.list}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        empty={<EmptyState icon="key" text={texts.none} />}
      />
      <ShownKey
        of={shown}
        replaced={list.rows?.find(({ replacedById }) => replacedById === shown?.id)}
        onKept={() => setShown(null)}
      />
    </Section>
  );
}

const Name = ({ of: { name, allowedIps } }: { of: Schemas["ApiKey"] }) => (
  <div className="name">
    <Text size="sm" fw={500}>
      {name}
    </Text>
    {allowedIps !== null && <Hint size="xs">{allowedIps.join(", ")}</Hint>}
  </div>
);

const DAY_MS = 24 * 3_600_000;
const UNUSED_DAYS = 90;
/**
 * A key is marked this number of days before its expiry; the API sends its notification at the same time (rules
 * 28.16).
 */
const SOON_DAYS = 7;

function LastUse({ of: { lastUsedAt, lastUsedIp, createdAt, status } }: { of: Schemas["ApiKey"] }) {
  const texts = useTexts(keyTexts);
  const { ago, dateTime } = useFormat();
  const isUnused = Date.parse(lastUsedAt ?? createdAt) < Date.now() - UNUSED_DAYS * DAY_MS;
  return (
    <>
      <span title={lastUsedAt === null ? "" : [dateTime(lastUsedAt), lastUsedIp].filter(Boolean).join(" · ")}>
        {lastUsedAt === null ? texts.never : ago(lastUsedAt)}
      </span>
      {status === "ACTIVE" && isUnused && ` (${texts.unused})`}
    </>
  );
}

function End({ of: { expiresAt, status } }: { of: Schemas["ApiKey"] }) {
  const texts = useTexts(keyTexts);
  const { dateTime } = useFormat();
  if (expiresAt === null) return texts.noEnd;
  const isSoon = status === "ACTIVE" && Date.parse(expiresAt) < Date.now() + SOON_DAYS * DAY_MS;
  return `${dateTime(expiresAt)}${isSoon ? ` (${texts.endsSoon})` : ""}`;
}

function Creator({ of: { createdBy } }: { of: Schemas["ApiKey"] }) {
  const texts = useTexts(keyTexts);
  if (createdBy === null) return "–";
  return (
    <span className="break">
      {createdBy.email}
      {!createdBy.member && ` (${texts.creatorLeft})`}
    </span>
  );
}

type ActionsProps = {
  readonly accountId: string;
  readonly of: Schemas["ApiKey"];
  readonly onCreated: (key: Schemas["NewApiKey"]) => void;
};

function Actions({ accountId, of: key, onCreated }: ActionsProps) {
  const texts = useTexts(keyTexts);
  const client = useClient();
  const mayCreate = useCan("ApiKeys.Create");
  const mayRevoke = useCan("ApiKeys.Delete");
  const { id: keyId, name, start, status } = key;
  const works = status === "ACTIVE" || status === "ROTATED";
  const [dialog, setDialog] = useState<"change" | "rotate" | null>(null);
  const close = () => setDialog(null);
  const revocation = {
    question: texts.revokeQuestion(name, start),
    run: () =>
      client.request("DELETE /api/service-accounts/{id}/keys/{keyId}", { path: { id: accountId, keyId } }),
    invalidates: CHANGED_BY_KEYS,
  };
  const actions = [
    mayCreate && works && { label: texts.change, onClick: () => setDialog("change") },
    mayCreate && status === "ACTIVE" && { label: texts.rotate, onClick: () => setDialog("rotate") },
    mayRevoke && works && { label: texts.revoke, confirm: revocation },
  ];
  return (
    <div className="row-actions">
      <RowMenu label={texts.actionsOf(name)} actions={actions}>
        <EditKey accountId={accountId} of={key} isOpen={dialog === "change"} onClose={close} />
        <RotateKey
          accountId={accountId}
          of={key}
          onCreated={(created) => {
            close();
            onCreated(created);
          }}
          isOpen={dialog === "rotate"}
          onClose={close}
        />
      </RowMenu>
    </div>
  );
}
