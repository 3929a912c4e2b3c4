// Made by `npm run generate`.

/** From src/engine/engines.ts. */
export const engineNames = ['solo', 'cometbft', 'none'] as const
