import { Alert, Button, Stack, Text } from "@mantine/core";
import type { Schemas } from "../../../client/index.ts";
import { useApiQuery } from "../../../client/react.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { connectionTestTexts } from "../../texts/sign-on-tests.ts";
import { ErrorAlert } from "../../ui/error-alert.tsx";
import { Fact } from "../../ui/fact.tsx";
import { Grants } from "../shared/grants.tsx";
import { useReason } from "./connection-state.tsx";

type Result = Schemas["ConnectionTest"];
type Props = { readonly connectionId: string; readonly testId: string };

export function TestResult({ connectionId, testId }: Props) {
  const texts = useTexts(connectionTestTexts);
  const { data, error, refetch } = useApiQuery(
    "GET /api/organization/connections/{id}/tests/{testId}",
    { path: { id: connectionId, testId } },
    { staleTime: Number.POSITIVE_INFINITY },
  );
  return (
    <section aria-label={texts.result}>
      <ErrorAlert error={error} sentenceOf={{ NOT_FOUND: texts.gone }} />
      {data?.outcome === "pending" && (
        <>
          <Text size="sm">{texts.pending}</Text>
          <Button variant="default" size="xs" mt="xs" onClick={() => void refetch()}>
            {texts.again}
          </Button>
        </>
      )}
      {data?.outcome === "failed" && (
        <Alert color="red" variant="outline" title={texts.failed}>
          <Problems of={data} />
        </Alert>
      )}
      {data?.outcome === "passed" && (
        <Stack gap="sm">
          <Passed of={data} />
        </Stack>
      )}
    </section>
  );
}

function Problems({ of: { problems } }: { of: Result }) {
  const reasonOf = useReason();
  return problems.map((code) => (
    <Text key={code} size="sm">
      {reasonOf(code)}
    </Text>
  ));
}

function Passed({ of: result }: { of: Result }) {
  const texts = useTexts(connectionTestTexts);
  const { list } = useFormat();
  const { subject, firstName, lastName, groups, wouldBe, assignments, problems } = result;
  const name = [firstName, lastName].filter(Boolean).join(" ");
  const isRefused = wouldBe === "refused" || problems.length > 0;
  return (
    <>
      <Text size="sm" fw={500}>
        {texts.passed}
      </Text>
      <Fact title={texts.who}>{name || texts.noName}</Fact>
      <Fact title={texts.subject}>{subject}</Fact>
      <Fact title={texts.email}>
        <Address of={result} />
      </Fact>
      <Fact title={texts.groups}>
        {groups === null ? texts.noGroups : groups.length === 0 ? texts.emptyGroups : list(groups)}
      </Fact>
      {wouldBe !== null && <Fact title={texts.outcome}>{texts[wouldBe]}</Fact>}
      {isRefused && (
        <Alert color={wouldBe === "refused" ? "red" : "yellow"} variant="outline" className="alert-text">
          <Problems of={result} />
        </Alert>
      )}
      {assignments.length > 0 && (
        <Fact title={texts.roles}>
          <Grants of={assignments} all />
        </Fact>
      )}
    </>
  );
}

function Address({ of: { email, emailVerified } }: { of: Result }) {
  const texts = useTexts(connectionTestTexts);
  if (email === null) return texts.noEmail;
  if (emailVerified === null) return texts.unsaid(email);
  return emailVerified ? texts.verified(email) : texts.notVerified(email);
}
