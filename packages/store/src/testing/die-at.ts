/**
 * Named crash points: `before:SQL` or `after:SQL`, of the statement that begins so, the first time;
 * `…#N` the Nth time. There the process kills itself with SIGKILL: nothing is flushed or closed.
 */
import { registerSink } from '../trace.ts';

export function dieAt(point: string): void {
  if (point === '') return;
  const [name = '', count = '1'] = point.split('#');
  const [when, sql = ''] = [name.slice(0, name.indexOf(':')), name.slice(name.indexOf(':') + 1)];
  let seen = 0;
  registerSink({
    withDbSpan: (span, run) => {
      const hit = span.sql.startsWith(sql);
      if (hit) seen += 1;
      const now = hit && seen === Number(count);
      if (now && when === 'before') process.kill(process.pid, 'SIGKILL');
      const value = run();
      if (now && when === 'after') process.kill(process.pid, 'SIGKILL');
      return value;
    },
  });
}
