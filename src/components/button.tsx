import * as React from 'react';

interface IButtonProps {
  label: string;
  isPrimary?: boolean;
  isEnabled?: boolean;
  /** Stands apart, at the right. */
  isAside?: boolean;
  onPress: () => void;
}

/** A button that keeps the focus while it cannot be pressed. */
export function Button(props: IButtonProps): React.JSX.Element {
  const { label, isAside, isEnabled = true, isPrimary, onPress } = props;
  const kinds = [
    isPrimary ? ' jp-mod-primary' : '',
    isAside ? ' jp-mod-aside' : ''
  ];
  return (
    <button
      type="button"
      className={`jp-GpuHeadroom-button${kinds.join('')}`}
      aria-disabled={!isEnabled}
      onClick={() => {
        if (isEnabled) {
          onPress();
        }
      }}
    >
      {label}
    </button>
  );
}
