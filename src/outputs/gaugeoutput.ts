/** The script of an output that shows the gauge. */
import { Gauge } from './gauge';
import { mountOutput } from './outputs';

mountOutput(
  'gauge',
  (host, connection, inserting, { compact }) =>
    new Gauge(host, connection, inserting, compact)
);
