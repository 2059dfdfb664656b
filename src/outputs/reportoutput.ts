/** The script of an output that shows an out-of-memory report. */
// First, since names that come first in the bundle are used least.
import { LiveReport } from './livereport';
import { mountOutput } from './outputs';

mountOutput(
  'report',
  (host, connection, inserting, { helper_id, report_id }) =>
    new LiveReport(host, connection, inserting, {
      helper_id,
      report_id: report_id ?? ''
    })
);
