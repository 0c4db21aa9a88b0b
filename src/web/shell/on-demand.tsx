import { type ComponentType, useState } from "react";

/** What the button of a menu gets while it stands alone. */
export type TriggerProps = {
  readonly "aria-haspopup"?: "menu" | "dialog" | "listbox";
  readonly "aria-expanded"?: boolean;
  readonly onClick?: () => void;
  readonly onFocus?: () => void;
  readonly onPointerEnter?: () => void;
};

/**
 * A menu that is loaded, with the library that places it, when somebody is about to use it: the button alone is part
 * of the first load. The loaded component opens itself by `useOpenOnMount`.
 * @param popup what the button opens, for screen readers
 */
export function onDemand<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
  Trigger: ComponentType<Props & TriggerProps>,
  popup: NonNullable<TriggerProps["aria-haspopup"]>,
): ComponentType<Props> {
  return function OnDemand(props: Props) {
    const [Menu, setMenu] = useState<ComponentType<Props> | null>(null);
    if (Menu !== null) return <Menu {...props} />;
    // Without a network nothing opens, and the next click tries again.
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
