// Made from src/engine/engines.ts and src/gateway/families/families.ts by `npm run generate`.
export const engineNames = ['solo', 'cometbft', 'none'] as const
export const familyNames = ['perihelion', 'ethermint', 'cosmos-evm-0.1', 'cosmos-evm-0.4', 'cosmos-evm-0.5', 'cosmos-evm-0.7'] as const
