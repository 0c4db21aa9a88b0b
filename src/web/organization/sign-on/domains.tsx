import { Stack } from "@mantine/core";
import { useApiQuery } from "../../../client/react.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { domainTexts } from "../../texts/sign-on-domains.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Hint } from "../../ui/hint.tsx";
import { Pending } from "../../ui/pending.tsx";
import { AddDomain } from "./add-domain.tsx";
import { DomainItem } from "./domain.tsx";
import { useSignOnRights } from "./rights.ts";
import { Step } from "./step.tsx";

/**
 * The domains of the organization with their records, and a form that adds one.
 * @param reduced whether only what a setup link may do is shown: no connection, no joining, no removal
 */
export function Domains({ reduced = false }: { readonly reduced?: boolean }) {
  const texts = useTexts(domainTexts);
  const { mayUpdate } = useSignOnRights();
  const query = useApiQuery("GET /api/organization/domains");
  const domains = query.data?.data;
  return (
    <Step title={texts.title} isDone={domains?.some(({ status }) => status === "VERIFIED")}>
      <Stack gap="md">
        <Hint>{texts.about}</Hint>
        <Pending of={query} height={120} />
        <div tabIndex={-1} data-keeps-focus>
          {domains?.length === 0 && <EmptyState text={texts.none} />}
          {domains !== undefined && domains.length > 0 && (
            <ul className="plain-list sign-on-items" aria-label={texts.list}>
              {domains.map((domain) => (
                <DomainItem key={domain.id} of={domain} reduced={reduced} />
              ))}
            </ul>
          )}
        </div>
        {domains !== undefined && mayUpdate && <AddDomain to={domains} />}
      </Stack>
    </Step>
  );
}
