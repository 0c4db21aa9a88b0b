import { type ReactNode, Suspense, useEffect, useRef, useState } from "react";

/** The distance below the window at which a part of the page starts to load. */
const NEAR = "200px";

/**
 * Renders its children when their place on the page is near the window, so that their code is loaded only then.
 * @param height their expected height in pixels, which is reserved so that nothing below moves
 */
export function WhenNear({ height, children }: { height: number; children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null);
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    if (place.current === null) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setNear(true);
      },
      { rootMargin: NEAR },
    );
    observer.observe(place.current);
    return () => observer.disconnect();
  }, []);
  return (
    <div ref={place} style={{ minHeight: height }}>
      {isNear && <Suspense>{children}</Suspense>}
    </div>
  );
}
