import * as React from 'react';

/** What a button says, looks like and does. */
export interface IButtonProps {
  readonly label: string;
  readonly isPrimary?: boolean;
  /** For screen readers, where the label alone says too little. */
  readonly description?: string;
  /** What it is told by where its label changes. */
  readonly focusKey?: string;
  /** `null`: it cannot be pressed now. */
  readonly onPress: (() => void) | null;
}

/** A button that keeps the focus while it cannot be pressed. */
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

/** Buttons one after the other. */
export function Buttons(props: {
  buttons: readonly IButtonProps[];
}): React.JSX.Element {
  return (
    <>
      {props.buttons.map(each => (
        <Button key={each.focusKey ?? each.label} {...each} />
      ))}
    </>
  );
}
