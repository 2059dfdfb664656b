import { CAUSE, gib, REPORT, WORDS } from '../../__tests__/report';
import type { IReport } from '../../protocol';
import { markdownOf } from '../markdown';

const SOURCE = Array.from({ length: 30 }, (_, at) => `line_${at + 1}()`);

const of = (
  report: Partial<IReport>,
  source: string | null = SOURCE.join('\n')
): string => markdownOf(WORDS, { ...REPORT, ...report }, source);

describe('markdownOf', () => {
  it.each<[string, string]>([
    [
      'what happened',
      '### Out of GPU memory — needed 2.00 GiB more, 0.71 GiB was available\n\n' +
        'GPU 0, Tesla T4, 14.7 GiB, `OutOfMemoryError`\n'
    ],
    ['the composition', '| activations | 9.8 GiB |'],
    ['the cause', '**Most likely cause**: **Activations: 9.8 GiB of the'],
    [
      'the remedies with their effect',
      '2. `batch_size = 1024` → `512` (line 12): about **−4.9 GiB** estimated'
    ],
    ['the details', '| In use by tensors | 12.20 GiB | memory_allocated() |'],
    ['the versions', '\nPyTorch 2.9.1\n']
  ])('should include %s', (_, text) => {
    expect(of({})).toContain(text);
  });

  it('should include the causes besides the first', () => {
    expect(of({})).not.toContain('Also');
    const also = of({ further_causes: [{ ...CAUSE, bytes: gib(1) }] });
    expect(also).toContain('**Also**\n\n- **Activations');
  });

  it('should show the lines around the failing one, and no others', () => {
    const text = of({ line: 19 });
    expect(text).toContain(
      'The lines around line 19:\n\n```python\n    16 line_16()\n'
    );
    expect(text).toContain('\n--> 19 line_19()\n');
    expect(text).toContain('22 line_22()\n```');
    expect(text).not.toContain('line_15()');
    expect(text).not.toContain('line_23()');
  });

  it.each<[string, number | null, string | null]>([
    ['the line is not known', null, 'x'],
    ['the cell is not known', 1, null],
    ['the cell has become shorter', 7, 'x']
  ])('should show no code if %s', (_, line, source) => {
    expect(of({ line }, source)).not.toContain('```');
  });

  it('should keep code and names from becoming Markdown of their own', () => {
    const text = of({ line: 1, device_name: 'T4\n# x' }, '"""```"""\n````');
    expect(text).toContain('`````python\n');
    expect(text).toContain('GPU 0, T4 # x, 14.7 GiB');
    const label = { id: 'x', template: 'a | b', params: {}, text: 'a | b' };
    const details = [{ label, bytes: 1, source: label }];
    expect(of({ details })).toContain('| a \\| b | 1 bytes | a \\| b |');
  });

  it('should not mention other processes', () => {
    const label = {
      id: 'detail.process',
      template: 'train.py',
      params: {},
      text: ''
    };
    const details = [{ label, bytes: 1, source: label }];
    expect(of({ details })).not.toContain('train.py');
  });
});
