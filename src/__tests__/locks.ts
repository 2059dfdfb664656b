import type { NotebookPanel } from '@jupyterlab/notebook';

export type Lock = (panel: NotebookPanel) => void;

/** How a notebook is locked: by its file, or by the view-only mode of JupyterLab 4.7. */
export const NOTEBOOKS: [string, Lock][] = [
  [
    'whose file is read-only',
    ({ model }) => {
      if (model) {
        model.readOnly = true;
      }
    }
  ],
  [
    'that is view-only',
    ({ content }) => Object.defineProperty(content, 'viewOnly', { value: true })
  ]
];

const cellOf = ({ content }: NotebookPanel): NotebookPanel['content'] =>
  content.widgets[0] as never;

/** How a cell is locked. */
export const CELLS: [string, Lock][] = [
  [
    'whose cell is not editable',
    ({ model }) => model?.cells.get(0).setMetadata('editable', false)
  ],
  [
    'whose cell is shown read-only',
    panel => Object.defineProperty(cellOf(panel), 'readOnly', { value: true })
  ],
  [
    'whose cell is view-only',
    panel => Object.defineProperty(cellOf(panel), 'viewOnly', { value: true })
  ]
];

/** Lock a notebook, and expect that an action leaves it unchanged. */
export async function expectAsItIs(
  panel: NotebookPanel,
  lock: Lock,
  write: () => unknown
): Promise<void> {
  lock(panel);
  const content = (): string => JSON.stringify(panel.model?.toJSON());
  const before = content();
  await write();
  expect(content()).toBe(before);
}
