import { Alert, Button, Group, Text } from "@mantine/core";
import { useState } from "react";
import { useClient } from "../../../client/react.ts";
import { useAction } from "../../lib/action.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { unitTexts } from "../../texts/units.ts";
import type { Unit } from "./rows.ts";

type Move = { readonly unit: Unit; readonly parentId: string | null };

/** Moves a unit by drag and drop. `last` is the latest move, which the user can undo. */
export function useMove(onMoved: (unit: Unit) => void) {
  const client = useClient();
  const [last, setLast] = useState<Move | null>(null);
  const action = useAction({
    run: async (move: Move) => {
      const { id } = move.unit;
      const moved = await client.request("PATCH /api/units/{id}", {
        path: { id },
        body: { parentId: move.parentId },
      });
      return { move, moved };
    },
    invalidates: ["GET /api/units", "GET /api/members/unit-options"],
    onDone({ move, moved }) {
      setLast(move);
      onMoved(moved);
    },
  });
  return { ...action, last };
}

export function MoveNotice({
  move,
  known,
}: {
  move: ReturnType<typeof useMove>;
  known: ReadonlyMap<string, Unit>;
}) {
  const texts = useTexts(unitTexts);
  const { last } = move;
  const now = known.get(last?.unit.id ?? "");
  // Another user may have moved the unit since.
  const isShown = last !== null && now !== undefined && now.parentId === last.parentId && move.error === null;
  const parent = known.get(last?.parentId ?? "")?.name;
  return (
    <div role="status">
      {isShown && (
        <Alert variant="outline" mb="sm">
          <Group justify="space-between">
            <Text size="sm">
              {parent === undefined ? texts.movedTop(now.name) : texts.moved(now.name, parent)}
            </Text>
            <Button
              size="xs"
              variant="default"
              loading={move.isRunning}
              onClick={() => move.run({ unit: now, parentId: last.unit.parentId })}
            >
              {texts.undo}
            </Button>
          </Group>
        </Alert>
      )}
    </div>
  );
}
