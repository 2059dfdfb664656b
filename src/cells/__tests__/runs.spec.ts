import { ranCell } from '../../__tests__/samples';
import { byCell } from '../runs';

describe('byCell', () => {
  it('should group the runs by cell', () => {
    const runs = ['a', 'b', 'a', null].map((cell_id, start_s) =>
      ranCell({ cell_id, start_s })
    );
    expect(
      byCell(runs)
        .get('a')
        ?.map(({ start_s }) => start_s)
    ).toEqual([0, 2]);
  });
});
