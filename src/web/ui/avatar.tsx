type Props = {
  /** The name of the person or organization; the avatar shows its initials. */
  readonly name: string;
  /** The id of the person or organization. It determines the color, so that the color stays when the name changes. */
  readonly id: string;
  /** The width and height of the avatar in pixels. */
  readonly size?: number;
  readonly isSquare?: boolean;
};

const TINTS = [
  "#4f46e5",
  "#0f766e",
  "#0369a1",
  "#b45309",
  "#4d7c0f",
  "#9333ea",
  "#be185d",
  "#c2410c",
] as const;

function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/);
  const letters = words.length > 1 ? [words[0], words.at(-1)] : [words[0]];
  return letters
    .map((word) => [...(word ?? "")][0] ?? "")
    .join("")
    .toLocaleUpperCase();
}

function tintOf(id: string): string | undefined {
  let sum = 0;
  for (const character of id) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) >>> 0;
  return TINTS[sum % TINTS.length];
}

/** Initials on a color. They are hidden from screen readers, because the name is next to them. */
export function Avatar({ name, id, size = 24, isSquare = false }: Props) {
  return (
    <span
      className="avatar"
      data-square={isSquare || undefined}
      style={{ width: size, height: size, fontSize: Math.max(10, size * 0.4), background: tintOf(id) }}
      aria-hidden="true"
    >
      {initialsOf(name)}
    </span>
  );
}
