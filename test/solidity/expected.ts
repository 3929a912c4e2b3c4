import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../architecture/programFiles.ts'
import type { Stack } from './runCases.ts'

/** Where each case fails, as its source says; Hardhat 2.29 says the same of what is not optimized, but for four of them. */
export const readExpected = (): Readonly<Record<string, Stack>> =>
  JSON.parse(readFileSync(join(root, 'test/solidity/expected.json'), 'utf8'))

export const lineOf = (stack: Stack | undefined): string | undefined => stack?.[0]?.split(':').at(-1)
