import { useIntersection } from "@mantine/hooks";
import { type ReactNode, Suspense, useState } from "react";

/** The distance below the window at which a part of the page starts to load. */
const NEAR = "200px";

/**
 * Renders its children when their place on the page is near the window, so that their code is loaded only then.
 * @param height their expected height in pixels, which is reserved so that nothing below moves
 */
export function WhenNear({ height, children }: { height: number; children: ReactNode }) {
  const { ref, entry } = useIntersection<HTMLDivElement>({ rootMargin: NEAR });
  const [isNear, setNear] = useState(false);
  if (entry?.isIntersecting && !isNear) setNear(true);
  return (
    <div ref={ref} style={{ minHeight: height }}>
      {isNear && <Suspense>{children}</Suspense>}
    </div>
  );
}
