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
      className="icon"
    >
      <path d={path} />
    </svg>
  );

const circle = (x: number, y: number, radius: number) =>
  `M${x - radius} ${y}a${radius} ${radius} 0 1 0 ${2 * radius} 0a${radius} ${radius} 0 1 0 ${-2 * radius} 0`;

/** The icons of the console by name. Their stroke width is 1.75 of 24 units. */
export const icons = {
  bell: icon("M6 9a6 6 0 0 1 12 0c0 6 2 7 2 8H4c0-1 2-2 2-8M10 20.5a2.2 2.2 0 0 0 4 0"),
  search: icon("M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13M15.5 15.5L20 20"),
  chevrons: icon("M8 10l4-4 4 4M8 14l4 4 4-4"),
  home: icon("M4 11l8-7 8 7v8a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1zM9.5 20v-6h5v6"),
  check: icon("M5 12.5l4.5 4.5L19 7"),
  ticket: icon("M4 7h16v3.5a1.8 1.8 0 0 0 0 3.5V17H4v-3a1.8 1.8 0 0 0 0-3.5zM14.5 7v2M14.5 11v2M14.5 15v2"),
  inbox: icon("M4 13l2.5-8h11L20 13v6H4zM4 13h4.5l1.5 2.5h4l1.5-2.5H20"),
  people: icon(
    `${circle(9, 8, 3.5)}M2.5 20c0-3.6 2.9-6 6.5-6s6.5 2.4 6.5 6M16 4.8a3.5 3.5 0 0 1 0 6.4M18 14.4c2.2.8 3.5 2.8 3.5 5.6`,
  ),
  units: icon("M9 3.5h6v5H9zM3 15.5h6v5H3zM15 15.5h6v5h-6zM12 8.5V12M6 15.5V12h12v3.5"),
  key: icon(`${circle(8, 15, 4)}M11 12l8.5-8.5M16 7l2.5 2.5M13.5 9.5l2 2`),
  robot: icon("M5 9h14v10H5zM12 9V5M10 5h4M9 13.5v1M15 13.5v1M2.5 12.5v3M21.5 12.5v3"),
  mail: icon("M3.5 6h17v12h-17zM4 7l8 6 8-6"),
  card: icon("M3.5 6h17v12h-17zM3.5 10h17M7 14.5h3"),
  list: icon("M6 3.5h9l4 4V20.5H6zM9.5 9h3M9.5 13h6M9.5 17h6"),
  settings: icon(
    `${circle(12, 12, 3)}M12 3v2.5M12 18.5V21M3 12h2.5M18.5 12H21M5.6 5.6l1.8 1.8M16.6 16.6l1.8 1.8M5.6 18.4l1.8-1.8M16.6 7.4l1.8-1.8`,
  ),
  building: icon("M5 20.5V4h9v16.5M14 9.5h5v11M3 20.5h18M8.5 8h2M8.5 12h2M8.5 16h2"),
  shield: icon("M12 3l7.5 3v5.5c0 4.5-3 8-7.5 9.5-4.5-1.5-7.5-5-7.5-9.5V6z"),
  clock: icon(`${circle(12, 12, 8.5)}M12 7.5V12l3 2`),
  dots: icon("M5 12h.01M12 12h.01M19 12h.01"),
  webhook: icon(
    `${circle(6, 17, 3)}${circle(18, 17, 3)}${circle(12, 6, 3)}M9 17h6M10.7 8.7L7.5 14.4M13.3 8.7l3.2 5.7`,
  ),
} as const;

export type IconName = keyof typeof icons;

/** Renders an icon by its name. It is hidden from screen readers, because a text next to it has the same meaning. */
export function Icon({ name, size }: { readonly name: IconName } & Props) {
  const Drawn = icons[name];
  return <Drawn {...(size !== undefined && { size })} />;
}
