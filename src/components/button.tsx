import * as React from 'react';

/** What a button says, looks like and does. */
export interface IButtonProps {
  readonly label: string;
  readonly isPrimary?: boolean;
  /** Stands apart, at the right. */
  readonly isAside?: boolean;
  /** For screen readers, where the label alone says too little. */
  readonly description?: string;
  /** What it is told by where its label changes. */
  readonly focusKey?: string;
  /** `null`: it cannot be pressed now. */
  readonly onPress: (() => void) | null;
}

/** A button that keeps the focus while it cannot be pressed. */
export function Button(props: IButtonProps): React.JSX.Element {
  const { description, focusKey, isAside, isPrimary, label, onPress } = props;
  const kinds = [
    isPrimary ? ' jp-mod-primary' : '',
    isAside ? ' jp-mod-aside' : ''
  ];
  return (
    <button
      type="button"
      className={`jp-GpuHeadroom-button${kinds.join('')}`}
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
