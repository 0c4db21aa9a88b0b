import { Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";

/** A card that links to a page. */
export function CardLink({ to, title, about }: { to: string; title: string; about: string }) {
  return (
    <Link to={to} className="card-link">
      <Text fw={600}>{title}</Text>
      <Text size="sm" c="dimmed">
        {about}
      </Text>
    </Link>
  );
}
