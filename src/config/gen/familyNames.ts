// Made from src/gateway/families/families.ts by `npm run generate`.
export const familyNames = [
  'perihelion',
  'ethermint',
  'cosmos-evm-0.1',
  'cosmos-evm-0.4',
  'cosmos-evm-0.5',
  'cosmos-evm-0.7',
] as const
