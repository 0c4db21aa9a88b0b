type Props = { readonly size?: number };

const icon =
  (path: string) =>
  ({ size = 18 }: Props) => (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.75}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={path} />
    </svg>
  );

export const BellIcon = icon("M6 9a6 6 0 0 1 12 0c0 6 2 7 2 8H4c0-1 2-2 2-8M10 20.5a2.2 2.2 0 0 0 4 0");
export const SearchIcon = icon("M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13M15.5 15.5L20 20");
export const ChevronsIcon = icon("M8 10l4-4 4 4M8 14l4 4 4-4");
