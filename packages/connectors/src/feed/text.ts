/**
 * Text as the store keeps it: NFC, LF line ends, no lone surrogates, no NUL.
 */
export function cleanText(text: string): string {
  const lines = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  const whole = /[\p{Surrogate}\0]/u.test(lines)
    ? lines.replace(/[\p{Surrogate}\0]/gu, '\uFFFD')
    : lines;
  return whole.normalize('NFC');
}
