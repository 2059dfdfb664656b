import * as React from 'react';

/** Label, look and action of a button. */
export interface IButtonProps {
  readonly label: string;
  readonly isPrimary?: boolean;
  /** Accessible description, where the label alone is unclear. */
  readonly description?: string;
  /** Identifies the button when its label changes. */
  readonly focusKey?: string;
  /** `null`: disabled. */
  readonly onPress: (() => void) | null;
}

/** A button that keeps the focus while it is disabled. */
export function Button(props: IButtonProps): React.JSX.Element {
  const { description, focusKey, isPrimary, label, onPress } = props;
  const kind = isPrimary ? ' jp-mod-primary' : '';
  return (
    <button
      type="button"
      className={`jp-GpuHeadroom-button${kind}`}
      aria-disabled={onPress ? undefined : true}
      aria-label={description}
      data-focus-key={focusKey ?? label}
      onClick={event => {
        event.currentTarget.focus({ preventScroll: true });
        onPress?.();
      }}
    >
      {label}
    </button>
  );
}

/** A row of buttons. */
export function Buttons(props: {
  buttons: readonly IButtonProps[];
}): React.JSX.Element {
  return (
    <>
      {props.buttons.map(button => (
        <Button key={button.focusKey ?? button.label} {...button} />
      ))}
    </>
  );
}
