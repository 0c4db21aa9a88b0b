import type { Schemas } from "../../../client/index.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { recordTexts } from "../../texts/sign-on-domains.ts";
import { Copy } from "../../ui/copy.tsx";
import { Hint } from "../../ui/hint.tsx";

type Props = { readonly of: Schemas["Domain"] };

/** The record that proves a domain. It is folded while nothing is to do about it. */
export function DomainRecord({ of: domain }: Props) {
  const texts = useTexts(recordTexts);
  const { status, missingSince, record } = domain;
  if (status !== "VERIFIED" || missingSince !== null) return <Lines of={record} />;
  return (
    <details>
      <summary>{texts.record}</summary>
      <Hint mt="xs">{texts.recordAbout}</Hint>
      <Lines of={record} />
    </details>
  );
}

function Lines({ of: { type, name, value } }: { of: Schemas["Domain"]["record"] }) {
  const texts = useTexts(recordTexts);
  return (
    <dl className="sign-on-record">
      <dt>{texts.type}</dt>
      <dd>
        <code>{type}</code>
      </dd>
      <dt>{texts.name}</dt>
      <dd>
        <code className="break">{name}</code> <Copy value={name} label={texts.copyName} />
      </dd>
      <dt>{texts.value}</dt>
      <dd>
        <code className="break">{value}</code> <Copy value={value} label={texts.copyValue} />
      </dd>
    </dl>
  );
}
