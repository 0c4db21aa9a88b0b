import { ActionIcon, Menu } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useRef, useState } from "react";
import { Icon } from "../lib/icons.tsx";
import { type Maybe, present } from "../lib/present.ts";
import { type Confirmation, ConfirmDialog } from "./confirm-dialog.tsx";

type RowAction = {
  readonly label: string;
  readonly to?: string;
  readonly search?: Readonly<Record<string, string>>;
  readonly onClick?: () => void;
  readonly isDisabled?: boolean;
  readonly confirm?: Confirmation;
};

type Props = {
  /** The name of the button for screen readers, with the name of the record. */
  readonly label: string;
  /** The actions; false stands for one that the user may not run. Without any, there is no menu. */
  readonly actions: readonly Maybe<RowAction>[];
  readonly children?: ReactNode;
};

/**
 * The actions of a row, in a menu at its end. Actions that cannot be undone are red and ask for confirmation. Dialogs
 * are mounted when the menu is first opened, because a list has many rows.
 */
export function RowMenu({ label, actions: all, children }: Props) {
  const actions = present(all);
  const [wasOpened, setOpened] = useState(false);
  const [confirmed, setConfirmed] = useState<string | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  // A dialog returns the focus to the element that had it before, and the item of the menu is gone by then.
  const fromButton = (run: (() => void) | undefined) => () => {
    button.current?.focus();
    run?.();
  };
  const asked = actions.find((action) => action.label === confirmed);
  if (actions.length === 0) return null;
  return (
    <>
      <Menu position="bottom-end" onOpen={() => setOpened(true)}>
        <Menu.Target>
          <ActionIcon ref={button} variant="subtle" color="gray" aria-label={label} className="row-menu">
            <Icon name="dots" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {actions.map(({ label: text, to, search = {}, onClick, isDisabled = false, confirm }) =>
            to === undefined ? (
              <Menu.Item
                key={text}
                disabled={isDisabled}
                {...(confirm !== undefined && { c: "var(--mantine-color-error)" })}
                onClick={fromButton(confirm === undefined ? onClick : () => setConfirmed(text))}
              >
                {text}
              </Menu.Item>
            ) : (
              <Menu.Item key={text} component={Link} to={to} search={search as never}>
                {text}
              </Menu.Item>
            ),
          )}
        </Menu.Dropdown>
      </Menu>
      {wasOpened && children}
      {actions.map(
        ({ label: text, confirm }) =>
          wasOpened &&
          confirm !== undefined && (
            <ConfirmDialog
              key={text}
              label={text}
              isOpen={asked?.label === text}
              onClose={() => setConfirmed(null)}
              {...confirm}
            />
          ),
      )}
    </>
  );
}
