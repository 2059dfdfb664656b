/** The script of an output that shows the card of an out-of-memory error. */
import { LiveCard } from './livecard';
import { bringToLife } from './outputs';

bringToLife(
  'card',
  (host, connection, inserting, { life_id, report_id }) =>
    new LiveCard(host, connection, inserting, {
      life_id,
      report_id: report_id ?? ''
    })
);
