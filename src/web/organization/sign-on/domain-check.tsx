import { Alert, Button, Group, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { ApiError, type Schemas } from "../../../client/index.ts";
import { useClient } from "../../../client/react.ts";
import { useAction } from "../../lib/action.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { recordTexts } from "../../texts/sign-on-domains.ts";
import { ErrorAlert } from "../../ui/error-alert.tsx";

type Props = {
  readonly of: Schemas["Domain"];
  readonly mayCheck: boolean;
  /** Further buttons. */
  readonly children: ReactNode;
};

export function CheckDomain({ of: domain, mayCheck, children }: Props) {
  const texts = useTexts(recordTexts);
  const client = useClient();
  const { id } = domain;
  const action = useAction({
    run: () => client.request("POST /api/organization/domains/{id}/verify", { path: { id } }),
    invalidates: ["GET /api/organization/domains", "GET /api/organization/sign-on/affected"],
  });
  const found = answerOf(action.error);
  return (
    <div>
      <div role="status" className="sign-on-answer">
        {action.isDone && <Text size="sm">{texts.present}</Text>}
        {found !== null && <NotFound of={domain} found={found} />}
      </div>
      {found === null && (
        <ErrorAlert
          error={action.error}
          sentenceOf={{ TOO_MANY_REQUESTS: texts.tooOften, NOT_SERVED_HERE: texts.elsewhere }}
        />
      )}
      <Group gap="xs">
        {mayCheck && (
          <Button variant="default" loading={action.isRunning} onClick={() => action.run()}>
            {texts.check}
          </Button>
        )}
        {children}
      </Group>
    </div>
  );
}

type Answer = { readonly reason: "absent" | "unanswered"; readonly found: readonly string[] };

/** Returns what DNS answered, if the check failed for that. */
const answerOf = (error: unknown): Answer | null =>
  error instanceof ApiError && error.code === "DOMAIN_NOT_VERIFIED"
    ? ((error.details as Answer | undefined) ?? null)
    : null;

function NotFound({ of: { domain, record }, found: { reason, found } }: { of: Domain; found: Answer }) {
  const texts = useTexts(recordTexts);
  if (reason === "unanswered") return <Note>{texts.unanswered(domain)}</Note>;
  if (found.length === 0) return <Note>{texts.missing(record.name)}</Note>;
  return (
    <Note>
      {texts.different(record.name)}
      <ul>
        {[...new Set(found)].map((value) => (
          <li key={value}>{value === "" ? texts.emptyValue : <code className="break">{value}</code>}</li>
        ))}
      </ul>
    </Note>
  );
}

type Domain = Schemas["Domain"];

const Note = ({ children }: { children: ReactNode }) => (
  <Alert color="yellow" variant="outline" className="alert-text">
    <div className="break">{children}</div>
  </Alert>
);
