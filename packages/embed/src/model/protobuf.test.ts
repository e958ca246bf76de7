/** The wire format against the examples of its own documentation. */
import { expect, test } from 'vitest';
import { ProtobufWriter } from './protobuf.ts';

const hex = (writer: ProtobufWriter): string => Buffer.from(writer.finish()).toString('hex');

test('an integer of two bytes is written lowest group first', () => {
  expect(hex(new ProtobufWriter().integer(1, 150))).toBe('089601');
});

test('a negative integer takes ten bytes', () => {
  expect(hex(new ProtobufWriter().integer(1, -1))).toBe('08ffffffffffffffffff01');
});

test('zero is written, not left out', () => {
  expect(hex(new ProtobufWriter().integer(3, 0))).toBe('1800');
});

test('a field number over fifteen takes a tag of two bytes', () => {
  expect(hex(new ProtobufWriter().integer(20, 7))).toBe('a00107');
});

test('text carries its length in bytes, not in characters', () => {
  expect(hex(new ProtobufWriter().text(2, 'é'))).toBe('1202c3a9');
});

test('a float is little-endian', () => {
  expect(hex(new ProtobufWriter().float(2, 1))).toBe('150000803f');
});

test('a message inside a message carries its length', () => {
  const inner = new ProtobufWriter().integer(1, 150);
  expect(hex(new ProtobufWriter().message(3, inner))).toBe('1a03089601');
});
