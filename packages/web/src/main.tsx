/**
 * The web page's entry: token, theme, routes, keys, and the frame around the views.
 */
import { render } from 'preact';
import { takeToken } from './api.ts';
import { Frame } from './frame.tsx';
import { listenForKeys } from './keys.ts';
import { followAddress, parseRoute, route } from './route.ts';
import { applyTheme } from './theme.ts';

takeToken();
route.value = parseRoute(location.hash);
applyTheme();
followAddress();
listenForKeys();
const root = document.getElementById('app');
if (root !== null) {
  root.replaceChildren();
  render(<Frame />, root);
}
