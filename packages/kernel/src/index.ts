/** The ambient world and its deterministic double. */
export type { Clock, Dice, Kernel, Log, LogEvent, Timer, Timers } from './kernel.ts';
