import * as React from 'react';

/**
 * A code block that the keyboard can reach and select.
 *
 * @param isRefused - it could not be copied, and is selected instead
 */
export function CodeBlock(props: {
  code: string;
  isRefused?: boolean;
}): React.JSX.Element {
  const { code, isRefused } = props;
  return (
    <pre
      className={`jp-GpuHeadroomReport-code${isRefused ? ' jp-mod-refused' : ''}`}
      tabIndex={0}
    >
      <code>{code}</code>
    </pre>
  );
}
