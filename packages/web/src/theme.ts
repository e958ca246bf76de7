/**
 * Light, dark, or as the system says. Kept for this browser.
 */
import { signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';
const THEMES: readonly Theme[] = ['system', 'light', 'dark'];
const THEME_KEY = 'quipu-theme';

export const theme = signal<Theme>(readTheme());

function readTheme(): Theme {
  const kept = localStorage.getItem(THEME_KEY);
  return THEMES.find((each) => each === kept) ?? 'system';
}

export function applyTheme(): void {
  if (theme.value === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme.value;
}

export function nextTheme(): void {
  const at = THEMES.indexOf(theme.value);
  theme.value = THEMES[(at + 1) % THEMES.length] ?? 'system';
  localStorage.setItem(THEME_KEY, theme.value);
  applyTheme();
}
