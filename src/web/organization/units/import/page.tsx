import { Alert, Button, Group, List, Stack, Text, Textarea } from "@mantine/core";
import { useMemo, useState } from "react";
import { ApiError, type Client } from "../../../../client/index.ts";
import { useApiQuery, useCan, useClient } from "../../../../client/react.ts";
import { useAction } from "../../../lib/action.ts";
import { useFormat } from "../../../lib/format.ts";
import { useTexts } from "../../../lib/i18n.tsx";
import { violationText } from "../../../lib/violation-texts.ts";
import { importTexts } from "../../../texts/import-units.ts";
import { violationTexts } from "../../../texts/violations.ts";
import { ErrorAlert } from "../../../ui/error-alert.tsx";
import { Page, Section } from "../../../ui/page.tsx";
import { TextLink } from "../../../ui/text-link.tsx";
import { UnitSelect } from "../../shared/unit-select.tsx";
import { Refusal } from "../refusal.tsx";
import { fits, MAX_NAMES, type Problem, parseUnits } from "./parse.ts";
import { Preview } from "./preview.tsx";

export function ImportUnits() {
  const texts = useTexts(importTexts);
  return (
    <Page title={texts.title} about={texts.about}>
      <TextLink to="/units">{texts.units}</TextLink>
      <ImportForm />
    </Page>
  );
}

type Input = { readonly parentId: string | null; readonly paths: string[][] };

function ImportForm() {
  const texts = useTexts(importTexts);
  const client = useClient();
  const mayCreateAtTop = useCan("Units.Create", null) === true;
  const maySee = Boolean(useCan("Units.Read"));
  const { data, error } = useApiQuery("GET /api/units", {}, { enabled: maySee });
  const places = (data?.data ?? []).filter(({ id }) => client.can("Units.Create", id));
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState<string | null>(null);
  const { paths, problems } = useMemo(() => parseUnits(text), [text]);
  const parentId = chosen ?? (mayCreateAtTop ? null : (places[0]?.id ?? null));
  const input = { parentId, paths };
  const [plan, setPlan] = useState<Answer | null>(null);
  const check = useAction({
    run: (body: Input) => post(client, { ...body, dryRun: true }),
    onDone: setPlan,
  });
  const create = useAction({
    run: (body: Input, idempotencyKey) => post(client, body, idempotencyKey),
    invalidates: ["GET /api/units", "GET /api/members/unit-options", "GET /api/organization/billing"],
    onDone: setPlan,
  });
  function forget() {
    setPlan(null);
    check.reset();
    create.reset();
  }
  const problem = paths.length > 0 && !fits(paths) ? texts.tooMany : null;
  const isReady = paths.length > 0 && problems.length === 0 && problem === null;
  return (
    <Stack gap="lg" maw={760}>
      <ErrorAlert error={error} />
      <Textarea
        label={texts.text}
        description={texts.textAbout}
        rows={10}
        value={text}
        className="import-text"
        onChange={({ currentTarget }) => {
          forget();
          setText(currentTarget.value);
        }}
        error={problem ?? sentenceOf(texts, problems[0])}
      />
      <UnitSelect
        label={texts.below}
        units={places}
        whole={mayCreateAtTop ? texts.top : false}
        clearable={false}
        value={parentId}
        onChange={(id) => {
          forget();
          setChosen(id);
        }}
      />
      <Group justify="flex-end">
        <Button
          variant={plan === null ? "filled" : "default"}
          disabled={!isReady}
          loading={check.isRunning}
          onClick={() => check.run(input)}
        >
          {texts.check}
        </Button>
      </Group>
      <Refused error={create.error ?? check.error} paths={paths} />
      {plan !== null && (
        <Plan
          of={plan}
          isDone={create.isDone}
          isRunning={create.isRunning}
          onCreate={() => create.run(input)}
        />
      )}
    </Stack>
  );
}

type Answer = Awaited<ReturnType<typeof post>>;

const post = (client: Client, body: Input & { dryRun?: boolean }, idempotencyKey?: string) =>
  client.request("POST /api/units/bulk", { body, ...(idempotencyKey && { idempotencyKey }) });

type Texts = typeof importTexts.en | typeof importTexts.el;

const sentenceOf = (texts: Texts, problem: Problem | undefined) =>
  problem === undefined
    ? null
    : problem.what === "noName"
      ? texts.noName(problem.line)
      : texts.tooDeep(problem.line, MAX_NAMES);

type PlanProps = {
  readonly of: Answer;
  readonly isDone: boolean;
  readonly isRunning: boolean;
  readonly onCreate: () => void;
};

function Plan({ of: { units, created, limit }, isDone, isRunning, onCreate }: PlanProps) {
  const texts = useTexts(importTexts);
  const { number } = useFormat();
  const { needed, free } = limit;
  const lacks = !isDone && free !== null && needed > free;
  return (
    <Section title={texts.result}>
      <Stack gap="sm">
        <Text size="sm" role="status">
          {(isDone ? texts.created : texts.wouldCreate)(number(created))}
          {` · ${texts.existing(number(units.length - created))}`}
        </Text>
        {lacks && (
          <Alert variant="outline" role="alert">
            {texts.lacks(number(free), number(needed))} <TextLink to="/billing">{texts.plan}</TextLink>
          </Alert>
        )}
        <Preview units={units} />
        <Group justify="flex-end">
          {!isDone && created > 0 && !lacks && (
            <Button loading={isRunning} onClick={onCreate}>
              {texts.create(number(created))}
            </Button>
          )}
          {isDone && <TextLink to="/units">{texts.toTree}</TextLink>}
        </Group>
      </Stack>
    </Section>
  );
}

function Refused({ error, paths }: { error: unknown; paths: readonly string[][] }) {
  const sentences = useTexts(violationTexts);
  const violations = error instanceof ApiError ? error.errors : [];
  if (error === null) return null;
  return (
    <div>
      <Refusal error={error} />
      {violations.length > 0 && (
        <List size="sm">
          {violations.map(({ path, message }) => {
            const [, at = "", name = ""] = /^paths\.(\d+)\.(\d+)$/.exec(path) ?? [];
            return (
              <List.Item key={path}>
                {paths[Number(at)]?.[Number(name)]}: {violationText(sentences, path, message)}
              </List.Item>
            );
          })}
        </List>
      )}
    </div>
  );
}
