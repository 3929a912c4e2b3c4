import { readFileSync } from 'node:fs'
import { compileSolidity } from '../../../scripts/solidity.ts'

/** Rules that every peer has. */
const settings = { optimizer: { enabled: true, runs: 200 }, evmVersion: 'paris' }

const compile = (file: string, name: string) =>
  compileSolidity(readFileSync(new URL(file, import.meta.url), 'utf8'), name, settings).evm

/** Returns the code that creates the token, and what it leaves. */
export const compileToken = () => compile('token.sol', 'Token')

export const compileWorkbench = () => compile('workbench.sol', 'Workbench')
