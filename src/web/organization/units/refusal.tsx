import { Alert, Text } from "@mantine/core";
import { ApiError } from "../../../client/index.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { unitTexts } from "../../texts/units.ts";
import { ErrorAlert } from "../../ui/error-alert.tsx";

const EXPLAINED = [
  "UNIT_CYCLE",
  "PERMISSION_NOT_HELD",
  "UNIT_FORBIDDEN",
  "UNIT_NOT_EMPTY",
  "CONFLICT",
] as const;

export function Refusal({ error }: { error: unknown }) {
  const texts = useTexts(unitTexts);
  const code = EXPLAINED.find((known) => error instanceof ApiError && error.code === known);
  if (code === undefined) return <ErrorAlert error={error} />;
  return (
    <Alert mb="sm" color="red" role="alert" variant="outline">
      <Text size="sm">{texts[code]}</Text>
    </Alert>
  );
}
