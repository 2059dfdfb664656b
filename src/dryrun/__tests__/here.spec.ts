import type { NotebookPanel } from '@jupyterlab/notebook';
import { nullTranslator } from '@jupyterlab/translation';

import { EDIT, SOURCE } from '../../__tests__/failednotebook';
import { makePanel, silenceYjs } from '../../__tests__/notebook';
import { Here } from '../here';

const READ_ONLY = 'The cell is read-only, so nothing was changed.';

describe('the notebook of a dry run', () => {
  let panel: NotebookPanel;
  let here: Here;

  const sources = (): string[] =>
    [...(panel.model?.cells ?? [])].map(cell => cell.sharedModel.getSource());

  const lock = (): void => {
    if (panel.model) {
      panel.model.readOnly = true;
    }
  };

  beforeEach(() => {
    silenceYjs();
    panel = makePanel([{ id: 'cell-7', source: SOURCE }]);
    const trans = nullTranslator.load('gpu-headroom');
    here = new Here(panel, () => Promise.resolve(null), trans);
  });

  it('should get an edit, and have it undone', async () => {
    const made = await here.apply([EDIT]);
    expect(sources()).toEqual(['batch_size = 512\ntrain()']);
    await here.undo(made);
    expect(sources()).toEqual([SOURCE]);
  });

  it('should not change if it is read-only', async () => {
    const made = await here.apply([EDIT]);
    lock();
    await expect(here.undo(made)).rejects.toThrow(READ_ONLY);
    const { new_lines: old_lines } = EDIT;
    await expect(here.apply([{ ...EDIT, old_lines }])).rejects.toThrow(
      READ_ONLY
    );
    expect(sources()).toEqual(['batch_size = 512\ntrain()']);
  });
});
