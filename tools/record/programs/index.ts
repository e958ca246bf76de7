/** The programs that can be recorded. */
import type { Program } from '../recording.ts';
import { aider } from './aider.ts';
import { claudeCode } from './claude-code.ts';
import { cline } from './cline.ts';
import { codex } from './codex.ts';
import { copilot } from './copilot.ts';
import { gemini } from './gemini.ts';
import { opencode } from './opencode.ts';
import { pi } from './pi.ts';

export const PROGRAMS: readonly Program[] = [
  claudeCode,
  codex,
  opencode,
  gemini,
  pi,
  copilot,
  aider,
  cline,
];
