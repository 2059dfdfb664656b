/** The script of an output that shows the card of an out-of-memory error. */
// First, as the names that stand first in the bundle are those used least.
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
