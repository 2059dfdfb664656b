import { nullTranslator } from '@jupyterlab/translation';

import { CELLS, expectAsItIs, NOTEBOOKS } from '../../__tests__/locks';
import { answer, EDIT, fixWith } from '../../__tests__/failednotebook';
import { FakeMemory } from '../../__tests__/memory';
import { makePanel, silenceYjs } from '../../__tests__/notebook';
import { findFix, makeFix } from '../fix';
import { FakeFiles } from './fakefiles';

const trans = nullTranslator.load('gpu-headroom');

const READ_ONLY = 'The cell is read-only, so nothing was changed.';

it.each([...NOTEBOOKS, ...CELLS])(
  'a notebook %s should get no fix, not even an earlier one',
  async (_, lock) => {
    silenceYjs();
    const panel = makePanel([{ id: 'cell-7', source: EDIT.old_lines[0] }]);
    const memory = new FakeMemory({ fix: () => answer(fixWith(['cell-7'])) });
    const { files } = new FakeFiles();
    const find = async () => findFix(memory, panel, '1', '1', files, trans);
    const fix = await find();
    await expectAsItIs(panel, lock, async () => {
      expect(await find()).toEqual({ status: 'refused', message: READ_ONLY });
      await expect(makeFix(fix as never, trans)).rejects.toThrow(READ_ONLY);
    });
  }
);
