import { makePanel, silenceYjs } from '../../__tests__/notebook';
import { FakeFiles } from './fakefiles';

describe('Files', () => {
  beforeAll(silenceYjs);

  it.each([
    ['train.py', true],
    ['parts/train.py', true],
    ['my parts/..train.py', true],
    ['../train.py', false],
    ['parts/../../train.py', false],
    ['..\\train.py', false],
    ['parts\\train.py', false],
    ['C:/work/train.py', false],
    ['C:train.py', false],
    ['\\\\server\\share\\train.py', false],
    ['file:///C:/work/train.py', false],
    ['settings.json', false]
  ])('should treat %s as a script of the folder: %s', (name, isOne) => {
    const found = new FakeFiles().files.find(makePanel([]), name);
    expect(found !== undefined).toBe(isOne);
  });
});
