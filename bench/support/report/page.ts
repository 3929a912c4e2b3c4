import type { Results } from './results.ts'
export const writePage = (_results: Results): string[] => []
