import { type ComponentType, type RefObject, useEffect, useRef, useState } from "react";

/** The props of a menu's button while the menu is not loaded. */
export type TriggerProps = {
  readonly "aria-haspopup"?: "menu" | "dialog" | "listbox";
  readonly "aria-expanded"?: boolean;
  readonly onClick?: () => void;
  readonly onFocus?: () => void;
  readonly onPointerEnter?: () => void;
};

/**
 * A menu that is loaded when a user is about to open it, together with its positioning library. Only the button is
 * part of the first load. The loaded menu opens itself with `useOpenOnMount`.
 * @param popup the kind of popup, for `aria-haspopup`
 */
export function onDemand<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
  Trigger: ComponentType<Props & TriggerProps>,
  popup: NonNullable<TriggerProps["aria-haspopup"]>,
): ComponentType<Props> {
  return function OnDemand(props: Props) {
    const [Menu, setMenu] = useState<ComponentType<Props> | null>(null);
    if (Menu !== null) return <Menu {...props} />;
    // If loading fails, nothing opens, and the next click tries again.
    const warm = () => void load().catch(() => {});
    const open = () =>
      void load().then(
        (module) => setMenu(() => module.default),
        () => {},
      );
    return (
      <Trigger
        {...props}
        aria-haspopup={popup}
        aria-expanded={false}
        onClick={open}
        onFocus={warm}
        onPointerEnter={warm}
      />
    );
  };
}

/** Opens a menu of `onDemand` when it is mounted, and focuses its button, which replaces the focused placeholder. */
export function useOpenOnMount(open: () => void): RefObject<HTMLButtonElement | null> {
  const target = useRef<HTMLButtonElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect must run only once
  useEffect(() => {
    target.current?.focus();
    open();
  }, []);
  return target;
}
