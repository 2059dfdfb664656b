import * as React from 'react';

/**
 * A part of the card that is closed until a person opens it, and stays open when
 * the card is drawn again, be it in another place.
 */
export function Fold(
  props: React.PropsWithChildren<{
    /** Its name within the card. */
    name: string;
    title: string;
    hint?: string;
    /** Within a text: no more than a line. */
    isSmall?: boolean;
    opened: Set<string>;
  }>
): React.JSX.Element {
  const { name, title, hint, isSmall, opened, children } = props;
  return (
    <details
      className={`jp-GpuHeadroomCard-fold${isSmall ? ' jp-mod-small' : ''}`}
      data-fold={name}
      open={opened.has(name) || undefined}
      onToggle={({ currentTarget: { open } }) => {
        if (open) {
          opened.add(name);
        } else {
          opened.delete(name);
        }
      }}
    >
      <summary
        className="jp-GpuHeadroomCard-summary"
        data-focus-key={`fold ${name}`}
      >
        <span className="jp-GpuHeadroomCard-summaryTitle">{title}</span>
        {hint && <span className="jp-GpuHeadroomCard-hint">{hint}</span>}
      </summary>
      <div className="jp-GpuHeadroomCard-foldBody">{children}</div>
    </details>
  );
}
