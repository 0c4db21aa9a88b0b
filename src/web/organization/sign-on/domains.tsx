import { Skeleton, Stack } from "@mantine/core";
import { useRef } from "react";
import { useApiQuery } from "../../../client/react.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { domainTexts } from "../../texts/sign-on-domains.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorAlert } from "../../ui/error-alert.tsx";
import { Hint } from "../../ui/hint.tsx";
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
  const list = useRef<HTMLDivElement>(null);
  const { data, error, refetch } = useApiQuery("GET /api/organization/domains");
  const domains = data?.data;
  return (
    <Step title={texts.title} isDone={domains?.some(({ status }) => status === "VERIFIED")}>
      <Stack gap="md">
        <Hint>{texts.about}</Hint>
        <ErrorAlert error={error} onRetry={() => void refetch()} />
        {domains === undefined && error === null && <Skeleton height={120} />}
        {/* Gets the focus of a domain that was removed. */}
        <div ref={list} tabIndex={-1}>
          {domains?.length === 0 && <EmptyState text={texts.none} />}
          {domains !== undefined && domains.length > 0 && (
            <ul className="plain-list sign-on-items" aria-label={texts.list}>
              {domains.map((domain) => (
                <DomainItem
                  key={domain.id}
                  of={domain}
                  reduced={reduced}
                  onRemoved={() => list.current?.focus()}
                />
              ))}
            </ul>
          )}
        </div>
        {domains !== undefined && mayUpdate && <AddDomain to={domains} />}
      </Stack>
    </Step>
  );
}
