import * as React from 'react';

/** What a button says, looks like and does. */
export interface IButtonProps {
  readonly label: string;
  readonly isPrimary?: boolean;
  /** Stands apart, at the right. */
  readonly isAside?: boolean;
  /** For screen readers, where the label alone says too little. */
  readonly description?: string;
  /** `null`: it cannot be pressed now. */
  readonly onPress: (() => void) | null;
}

/** A button that keeps the focus while it cannot be pressed. */
export function Button(props: IButtonProps): React.JSX.Element {
  const { description, isAside, isPrimary, label, onPress } = props;
  const kinds = [
    isPrimary ? ' jp-mod-primary' : '',
    isAside ? ' jp-mod-aside' : ''
  ];
  return (
    <button
      type="button"
      className={`jp-GpuHeadroom-button${kinds.join('')}`}
      aria-disabled={!onPress}
      aria-label={description}
      onClick={() => onPress?.()}
    >
      {label}
    </button>
  );
}
