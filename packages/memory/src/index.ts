export * from './shapes.ts';
export * from './recall/index.ts';
