/** The feeds and the cleaning of text that these readers use, in one place. */
export { documentFeed } from '../feed/document.ts';
export { lineFeed } from '../feed/lines.ts';
export { cleanText } from '../feed/text.ts';
