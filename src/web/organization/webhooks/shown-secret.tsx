import { useTexts } from "../../lib/i18n.tsx";
import { ShownOnce } from "../../ui/shown-once.tsx";
import { webhookTexts } from "./texts.ts";

type Props = { readonly of: { readonly secret: string | null } | null; readonly onKept: () => void };

export function ShownSecret({ of: created, onKept }: Props) {
  const texts = useTexts(webhookTexts);
  return <ShownOnce texts={texts} label={texts.secret} secret={created?.secret} onKept={onKept} />;
}
