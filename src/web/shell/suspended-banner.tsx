import { Alert } from "@mantine/core";
import { useEffect, useState } from "react";
import { useApiQuery, useClient } from "../../client/react.ts";
import { useClaims } from "../lib/claims.ts";
import { useTexts } from "../lib/i18n.tsx";
import { expectEnd } from "../lib/notice.ts";
import { shellTexts } from "../texts/shell.ts";

const POLL_MS = 60_000;

/**
 * A banner that is shown if the active organization is suspended and the session has not ended yet. A suspension
 * causes no notification, so the organization's status is requested once a minute, and when the window gets the
 * focus. The first request is a minute after the page was opened: a page begins with a new token, which no suspended
 * organization gets.
 */
export function SuspendedBanner() {
  const texts = useTexts(shellTexts);
  const client = useClient();
  const isNowhere = useClaims().organization === null;
  const isDue = useIsDue();
  const { data: organizations = [] } = useApiQuery(
    "GET /api/auth/organizations",
    {},
    { enabled: isNowhere || isDue, refetchInterval: POLL_MS, refetchOnWindowFocus: "always" },
  );
  const current = organizations.find((organization) => organization.current);
  const isSuspended = current?.status === "SUSPENDED";
  useEffect(() => {
    if (isSuspended) expectEnd("suspended");
    return () => expectEnd(null);
  }, [isSuspended]);

  // A refresh selects an organization for a session without one, if one of the user's organizations is active again.
  const active = organizations.filter(({ status }) => status === "ACTIVE").length;
  useEffect(() => {
    if (isNowhere && active > 0) void client.refresh().catch(() => {});
  }, [isNowhere, active, client]);

  if (!isSuspended) return null;
  return (
    <Alert color="red" variant="outline" mb="md" role="status">
      {texts.suspendedNow(current.name)}
    </Alert>
  );
}

/** Whether a minute has passed, or the window was left and shown again. */
function useIsDue(): boolean {
  const [isDue, setDue] = useState(false);
  useEffect(() => {
    const become = () => setDue(true);
    const timer = setTimeout(become, POLL_MS);
    addEventListener("visibilitychange", become);
    return () => {
      clearTimeout(timer);
      removeEventListener("visibilitychange", become);
    };
  }, []);
  return isDue;
}
