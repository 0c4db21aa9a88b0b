import { Group, Stack, Text, Title } from "@mantine/core";
import { useId } from "react";
import type { Schemas } from "../../../client/index.ts";
import { useClient } from "../../../client/react.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { domainTexts } from "../../texts/sign-on-domains.ts";
import { Ago } from "../../ui/ago.tsx";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { Hint } from "../../ui/hint.tsx";
import { CheckDomain } from "./domain-check.tsx";
import { DomainRecord } from "./domain-record.tsx";
import { DomainSettings, DomainUse } from "./domain-settings.tsx";
import { useSignOnRights } from "./rights.ts";

type Domain = Schemas["Domain"];

type Props = {
  readonly of: Domain;
  /** Whether only what a setup link may do is shown: no connection, no joining, no removal. */
  readonly reduced: boolean;
};

export function DomainItem({ of: domain, reduced }: Props) {
  const texts = useTexts(domainTexts);
  const { date } = useFormat();
  const { mayUpdate } = useSignOnRights();
  const id = useId();
  const { status, checkedAt, verifiedAt } = domain;
  return (
    <li>
      <Stack component="article" gap="xs" className="panel sign-on-item" aria-labelledby={id}>
        <Group gap="xs">
          <Title order={3} size="h5" id={id} className="break">
            {domain.domain}
          </Title>
          <DomainState of={domain} />
        </Group>
        <Warning of={domain} />
        <DomainRecord of={domain} />
        {!reduced && <DomainUse of={domain} />}
        <Hint>
          {status === "VERIFIED" && verifiedAt !== null && `${texts.verifiedAt(date(verifiedAt))} `}
          {checkedAt === null ? (
            texts.notChecked
          ) : (
            <>
              {texts.lastCheck} <Ago at={checkedAt} />
            </>
          )}
        </Hint>
        <CheckDomain of={domain} mayCheck={mayUpdate}>
          {!reduced && <Actions of={domain} />}
        </CheckDomain>
      </Stack>
    </li>
  );
}

const TONES = { PENDING: "info", VERIFIED: "good", LAPSED: "bad" } as const;
const LAPSE_MS = 14 * 86_400_000;

/** Returns when a verified domain whose record is missing lapses; null if nothing is missing. */
const lapseOf = ({ status, missingSince }: Domain): Date | null =>
  status === "VERIFIED" && missingSince !== null
    ? new Date(new Date(missingSince).getTime() + LAPSE_MS)
    : null;

function DomainState({ of: domain }: { of: Domain }) {
  const texts = useTexts(domainTexts);
  const { date } = useFormat();
  const lapsesAt = lapseOf(domain);
  return (
    <>
      <span className="tag" data-tone={TONES[domain.status]}>
        {texts[domain.status]}
      </span>
      {lapsesAt !== null && (
        <span className="tag" data-tone="warn">
          {texts.lapsing(date(lapsesAt))}
        </span>
      )}
    </>
  );
}

/** What is to do about a domain that is not verified, or will not stay so. */
function Warning({ of: domain }: { of: Domain }) {
  const texts = useTexts(domainTexts);
  const { date } = useFormat();
  const lapsesAt = lapseOf(domain);
  const since = domain.missingSince ?? domain.createdAt;
  if (domain.status === "PENDING") return <Text size="sm">{texts.pendingAbout}</Text>;
  if (domain.status === "LAPSED") return <Text size="sm">{texts.lapsedAbout}</Text>;
  return lapsesAt && <Text size="sm">{texts.lapsingAbout(date(since), date(lapsesAt))}</Text>;
}

/** The buttons of a domain that a setup link does not have. */
function Actions({ of: domain }: { of: Domain }) {
  const texts = useTexts(domainTexts);
  const client = useClient();
  const { mayUpdate, mayEnd } = useSignOnRights();
  const { id } = domain;
  return (
    <>
      {mayUpdate && <DomainSettings of={domain} />}
      {mayEnd && (
        <ConfirmButton
          label={texts.remove}
          question={texts.removeQuestion(domain.domain)}
          run={() => client.request("DELETE /api/organization/domains/{id}", { path: { id } })}
          invalidates={["GET /api/organization/domains", "GET /api/organization/sign-on/affected"]}
          sentenceOf={{ CONFLICT: texts.removeRefused }}
        />
      )}
    </>
  );
}
