/** Claims about secretlint's rules as they are driven here. */
import { describe, expect, it } from 'vitest';
import { createPreset } from './preset.ts';

const preset = createPreset();

describe('the preset', () => {
  it('answers before it returns, with the place and a kind of this project', () => {
    const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
    expect(preset.find(`x ${token}`)).toContainEqual({
      start: 2,
      end: 2 + token.length,
      kind: 'github-token',
      certainty: 1,
    });
    expect(preset.find('nothing here')).toEqual([]);
  });

  it('keeps no answer of one text for the next', () => {
    preset.find(`AKIA${'Q7W6E5R4T3Y2U7I6'}`);
    expect(preset.find('plain')).toEqual([]);
  });
});
