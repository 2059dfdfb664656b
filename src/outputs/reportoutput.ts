/** The script of an output that shows an out-of-memory report. */
// First, since names that come first in the bundle are used least.
import { LiveReport } from './livereport';
import { bringToLife } from './outputs';

bringToLife(
  'report',
  (host, connection, inserting, { life_id, report_id }) =>
    new LiveReport(host, connection, inserting, {
      life_id,
      report_id: report_id ?? ''
    })
);
