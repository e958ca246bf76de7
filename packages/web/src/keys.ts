/**
 * Keys. Single letters work only while no field has the focus and no modifier is held, so that
 * browser and screen reader keys stay theirs.
 */
import { signal } from '@preact/signals';
import { go, hrefOf } from './route.ts';
import { nextTheme } from './theme.ts';

export const helpOpen = signal(false);

export const KEYS: readonly (readonly [keys: string, does: string])[] = [
  ['/', 'search'],
  ['j  k', 'next and previous result or message'],
  ['Enter  o', 'open it'],
  ['g s', 'sessions'],
  ['g h', 'search page'],
  ['g t', 'status'],
  ['t', 'light, dark, or as the system'],
  ['?', 'this help'],
  ['Esc', 'close, or leave the field'],
];

/**
 * Moves the focus among the items of the view (`data-item`), and keeps the focused one in sight.
 */
function moveItem(step: 1 | -1): void {
  const items = [...document.querySelectorAll<HTMLElement>('[data-item]')];
  if (items.length === 0) return;
  const at = items.findIndex((item) => item.contains(document.activeElement));
  const next = at < 0 ? (step === 1 ? 0 : items.length - 1) : at + step;
  const item = items[Math.min(Math.max(next, 0), items.length - 1)];
  item?.focus();
  item?.scrollIntoView({ block: 'nearest' });
}

function focusSearch(): void {
  const field = document.getElementById('query');
  if (field instanceof HTMLInputElement) {
    field.focus();
    field.select();
  } else {
    go(hrefOf('search'));
    requestAnimationFrame(() => document.getElementById('query')?.focus());
  }
}

let afterG = false;

export function listenForKeys(): void {
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      if (helpOpen.value) helpOpen.value = false;
      else if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (handle(event.key)) event.preventDefault();
  });
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLInputElement ||
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement
  );
}

function handle(key: string): boolean {
  const second = afterG;
  afterG = false;
  if (second) {
    const view = { s: 'sessions', h: 'search', t: 'status' } as const;
    const chosen = view[key as keyof typeof view];
    if (chosen === undefined) return false;
    go(hrefOf(chosen));
    return true;
  }
  switch (key) {
    case '/':
      focusSearch();
      return true;
    case 'j':
      moveItem(1);
      return true;
    case 'k':
      moveItem(-1);
      return true;
    case 'o': {
      const link = document.activeElement?.closest('[data-item]')?.querySelector('a');
      link?.click();
      return link !== null && link !== undefined;
    }
    case 'g':
      afterG = true;
      return true;
    case 't':
      nextTheme();
      return true;
    case '?':
      helpOpen.value = true;
      return true;
    default:
      return false;
  }
}
