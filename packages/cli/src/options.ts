/**
 * Options parsed at the edge.
 */
import { InvalidArgumentError } from 'commander';

/** A whole number from `least` (1 without it); `name` is for the message. */
export function wholeNumber(name: string, least = 1): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() === '' || !Number.isInteger(value) || value < least) {
      throw new InvalidArgumentError(`${name} is a whole number from ${least}.`);
    }
    return value;
  };
}

/** A port number. */
export function portNumber(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 65_535) {
    throw new InvalidArgumentError('a port is a whole number from 1 to 65535.');
  }
  return value;
}
