/** The ambient world and its deterministic double. */
export type { Clock, Dice, Kernel, Log, LogEvent, Timer, Timers } from './kernel.ts';
export { discardLog, fileLog } from './log.ts';
export { realKernel } from './real.ts';
export { type TestKernel, testKernel } from './test-double.ts';
