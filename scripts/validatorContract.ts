import { readFileSync } from 'node:fs'
import { type CompiledContract, compileSolidity } from './solidity.ts'

const source = new URL('../contracts/ValidatorSet.sol', import.meta.url)

/** The compiler is pinned in package.json, and its settings say all that the code depends on. */
const compile = (): CompiledContract =>
  compileSolidity(readFileSync(source, 'utf8'), 'ValidatorSet', {
    optimizer: { enabled: true, runs: 200 },
    // The oldest that the compiler has no complaint about, so that chains with the rules of older forks have it too.
    evmVersion: 'london',
    metadata: { appendCBOR: false, bytecodeHash: 'none' },
  })

const lineLength = 96

/** The contract of validators as the node and its users need it, by path. */
export const validatorContractFiles = (address: string): Readonly<Record<string, string>> => {
  const { abi, evm, storageLayout } = compile()
  const code = evm.deployedBytecode.object
  const lines = code.match(new RegExp(`.{1,${lineLength}}`, 'g')) ?? []
  const slots = storageLayout.storage.map(({ label, slot }) => `  ${label}: ${slot}n,`)
  return {
    'src/chain/validators/gen/validatorSet.ts': [
      '// Made from contracts/ValidatorSet.sol by `npm run generate`.',
      '',
      '/** What stands at the address of the contract. */',
      'export const code =',
      `  '0x' +\n${lines.map((line) => `  '${line}'`).join(' +\n')}`,
      '',
      '/** Where its variables are. */',
      `export const slots = {\n${slots.join('\n')}\n} as const`,
      '',
    ].join('\n'),
    'docs/validatorSet.json': `${JSON.stringify({ address, abi }, undefined, 2)}\n`,
  }
}
