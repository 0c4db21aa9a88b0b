import type { Schemas } from "../../../client/index.ts";
import { useClient } from "../../../client/react.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { DomainSettings } from "./domain-settings.tsx";
import { domainTexts } from "./domain-texts.ts";
import { useSignOnRights } from "./rights.ts";

type Props = { readonly of: Schemas["Domain"]; readonly onRemoved: () => void };

/** The buttons of a domain that a setup link does not have. */
export function DomainActions({ of: domain, onRemoved }: Props) {
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
          onDone={onRemoved}
          sentenceOf={{ CONFLICT: texts.removeRefused }}
        />
      )}
    </>
  );
}
