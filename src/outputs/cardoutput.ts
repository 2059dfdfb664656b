/** The script of an output that shows an out-of-memory report. */
// First, since names that come first in the bundle are used least.
import { bringToLife } from './outputs';
import { LiveCard } from './livecard';

bringToLife(
  'card',
  (host, connection, inserting, { life_id, report_id }) =>
    new LiveCard(host, connection, inserting, {
      life_id,
      report_id: report_id ?? ''
    })
);
