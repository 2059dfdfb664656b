import * as React from 'react';

/**
 * A closed section of the report that the user can open. It stays open when the report
 * is rendered again, even in another place.
 */
export function Fold(
  props: React.PropsWithChildren<{
    /** Unique within the report. */
    name: string;
    title: string;
    hint?: string;
    /** Rendered as a line of text. */
    isSmall?: boolean;
    opened: Set<string>;
  }>
): React.JSX.Element {
  const { name, title, hint, isSmall, opened, children } = props;
  return (
    <details
      className={`jp-GpuHeadroomReport-fold${isSmall ? ' jp-mod-small' : ''}`}
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
        className="jp-GpuHeadroomReport-summary"
        data-focus-key={`fold ${name}`}
      >
        <span className="jp-GpuHeadroomReport-summaryTitle">{title}</span>
        {hint && <span className="jp-GpuHeadroomReport-hint">{hint}</span>}
      </summary>
      <div className="jp-GpuHeadroomReport-foldBody">{children}</div>
    </details>
  );
}
