import { readFileSync } from 'node:fs'
import { type CompiledContract, compileSolidity } from './solidity.ts'

/** The compiler is pinned in package.json, and its settings say all that the code depends on. */
const compile = (name: string): CompiledContract =>
  compileSolidity(readFileSync(new URL(`../contracts/${name}.sol`, import.meta.url), 'utf8'), name, {
    optimizer: { enabled: true, runs: 200 },
    // The oldest that the compiler has no complaint about, so that chains with the rules of older forks have it too.
    evmVersion: 'london',
    metadata: { appendCBOR: false, bytecodeHash: 'none' },
  })

const lineLength = 96

/** A contract of a chain with validators as the node and its users need it, by path. */
const contractFiles = (name: string, base: string, address: string): Readonly<Record<string, string>> => {
  const { abi, evm, storageLayout } = compile(name)
  const code = evm.deployedBytecode.object
  const lines = code.match(new RegExp(`.{1,${lineLength}}`, 'g')) ?? []
  const slots = storageLayout.storage.map(({ label, slot }) => `  ${label}: ${slot}n,`)
  return {
    [`src/chain/validators/gen/${base}.ts`]: [
      `// Made from contracts/${name}.sol by \`npm run generate\`.`,
      '',
      '/** What stands at the address of the contract. */',
      'export const code =',
      `  '0x' +\n${lines.map((line) => `  '${line}'`).join(' +\n')}`,
      '',
      '/** Where its variables are. */',
      `export const slots = {\n${slots.join('\n')}\n} as const`,
      '',
    ].join('\n'),
    [`docs/${base}.json`]: `${JSON.stringify({ address, abi }, undefined, 2)}\n`,
  }
}

/** The contract of validators. */
export const validatorContractFiles = (address: string): Readonly<Record<string, string>> =>
  contractFiles('ValidatorSet', 'validatorSet', address)

/** The contract of the fork schedule. */
export const scheduleContractFiles = (address: string): Readonly<Record<string, string>> =>
  contractFiles('ForkSchedule', 'forkSchedule', address)
