import { Text } from "@mantine/core";
import { useQueries } from "@tanstack/react-query";
import { useState } from "react";
import type { Schemas } from "../../../client/index.ts";
import { apiQueryOptions, useApiQuery, useCan, useClient } from "../../../client/react.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { PAGE_SIZE } from "../../lib/list.ts";
import { affectedTexts } from "../../texts/sign-on-policy.ts";
import { ErrorAlert } from "../../ui/error-alert.tsx";
import { Hint } from "../../ui/hint.tsx";
import { Pages } from "../../ui/pages.tsx";
import type { PolicyValues } from "./policy-values.ts";

const LIST = "GET /api/organization/sign-on/affected";
const REASONS = ["no-identity", "outside-domains", "no-second-factor"] as const;

type Rules = Pick<PolicyValues, "scope" | "requireTwoFactor">;
export type AffectedMembers = ReturnType<typeof useAffected>;

/** Loads the members who could not act under a policy, as things stand. */
export function useAffected({ scope, requireTwoFactor }: Rules) {
  const client = useClient();
  const mayList = useCan("Members.Read", null) === true;
  const rules = { scope, requireTwoFactor };
  const isAsked = scope !== "off" || requireTwoFactor;
  const enabled = mayList && isAsked;
  // Other rules have another list, which begins at its first page.
  const [shown, setShown] = useState({ of: "", page: 1 });
  const key = JSON.stringify(rules);
  const page = shown.of === key ? shown.page : 1;
  const list = useApiQuery(
    LIST,
    { query: { ...rules, page, pageSize: PAGE_SIZE } },
    // The rows of another page of this list stay until the next page is loaded.
    { enabled, placeholderData: (before) => (shown.of === key ? before : undefined) },
  );
  const members = useApiQuery("GET /api/members", { query: { pageSize: 1 } }, { enabled });
  const byReason = useQueries({
    queries: REASONS.map((reason) => ({
      ...apiQueryOptions(client, LIST, { query: { ...rules, reason: [reason], pageSize: 1 } }),
      enabled,
    })),
  });
  const totals = byReason.map(({ data }) => data?.total);
  const isLoaded = list.data !== undefined && members.data !== undefined && !totals.includes(undefined);
  const queries = [list, members, ...byReason];
  const error = queries.find((query) => query.error !== null)?.error ?? null;
  return {
    mayList,
    isAsked,
    isLoading: enabled && !isLoaded && error === null,
    /** The number of members who could not act; null if it is not known. */
    count: isAsked ? (isLoaded ? list.data.total : null) : 0,
    all: members.data?.total ?? 0,
    reasons: REASONS.map((reason, index) => [reason, totals[index] ?? 0] as const),
    rows: list.data?.data ?? [],
    page,
    setPage: (next: number) => setShown({ of: key, page: next }),
    error,
    retry: () => queries.forEach((query) => void query.refetch()),
  };
}

/** Says how many members could not act under a policy, and lists them. */
export function Affected({ of: affected }: { readonly of: AffectedMembers }) {
  const texts = useTexts(affectedTexts);
  const { number } = useFormat();
  const { mayList, isAsked, count, all, reasons, rows, page, setPage, error, retry } = affected;
  if (!isAsked) return null;
  if (!mayList) return <Hint>{texts.unknown}</Hint>;
  const parts = reasons.flatMap(([reason, total]) => (total > 0 ? [texts[reason](number(total))] : []));
  const sentence =
    count === 1 ? texts.affectedOne(number(all)) : texts.affected(number(count ?? 0), number(all));
  return (
    <div>
      <Text size="sm" fw={600} role="status">
        {count === 0 && texts.nobody}
        {count !== null && count > 0 && `${sentence}: ${parts.join(", ")}`}
      </Text>
      <ErrorAlert error={error} onRetry={retry} />
      {count !== null && count > 0 && (
        <>
          <ul className="plain-list sign-on-people" aria-label={texts.list}>
            {rows.map((row) => (
              <AffectedMember key={row.userId} of={row} />
            ))}
          </ul>
          <Pages
            list={{ rows, total: count, search: { page }, show: ({ page: next = 1 }) => setPage(next) }}
          />
        </>
      )}
    </div>
  );
}

const LACKS = {
  "no-identity": "lacksIdentity",
  "outside-domains": "lacksDomain",
  "no-second-factor": "lacksSecondFactor",
} as const;

function AffectedMember({ of: { firstName, lastName, email, reasons } }: { of: Schemas["AffectedMember"] }) {
  const texts = useTexts(affectedTexts);
  return (
    <li className="break">
      {firstName} {lastName} · {email}: {reasons.map((reason) => texts[LACKS[reason]]).join(", ")}
    </li>
  );
}
