import { Text } from "@mantine/core";
import type { Schemas } from "../../client/index.ts";

/** The title of a todo, in at most two lines; struck out if the todo is done. */
export function TodoTitle({ of: { title, completed } }: { of: Schemas["Todo"] }) {
  return (
    <Text
      size="sm"
      className="wrap-anywhere"
      lineClamp={2}
      title={title}
      {...(completed && { c: "dimmed", td: "line-through" })}
    >
      {title}
    </Text>
  );
}
