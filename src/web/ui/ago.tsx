import { useFormat } from "../lib/format.ts";

/** How long ago something was; the exact time is its tooltip. */
export function Ago({ at }: { at: string }) {
  const { ago, dateTime } = useFormat();
  return (
    <time dateTime={at} title={dateTime(at)} className="no-wrap">
      {ago(at)}
    </time>
  );
}
