import { Checkbox } from "@mantine/core";
import type { Schemas } from "../../client/index.ts";
import { useClient } from "../../client/react.ts";
import { useAction } from "../lib/action.ts";
import { useTexts } from "../lib/i18n.tsx";
import { ErrorAlert } from "../ui/error-alert.tsx";
import { todoTexts } from "./texts.ts";

export function Done({ todo: { id, title, completed } }: { todo: Schemas["Todo"] }) {
  const texts = useTexts(todoTexts);
  const client = useClient();
  const change = useAction({
    run: (body: { completed: boolean }) => client.request("PATCH /api/todos/{id}", { path: { id }, body }),
    invalidates: ["GET /api/todos", "GET /api/todos/all"],
  });
  return (
    <>
      <Checkbox
        aria-label={`${texts.done}: ${title}`}
        checked={change.isRunning ? !completed : completed}
        disabled={change.isRunning}
        onChange={() => change.run({ completed: !completed })}
      />
      <ErrorAlert error={change.error} />
    </>
  );
}
