import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { root } from '../architecture/programFiles.ts'
import { type SettingsName, settings } from './cases.ts'

interface CodeJson {
  readonly object: string
  readonly linkReferences: Readonly<
    Record<string, Readonly<Record<string, readonly { readonly start: number }[]>>>
  >
}

export interface ContractJson {
  readonly abi: readonly object[]
  readonly evm: { readonly bytecode: CodeJson; readonly deployedBytecode: CodeJson }
}

export interface Compiled {
  readonly version: string
  readonly input: object
  readonly output: {
    readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[]
    readonly contracts: Readonly<Record<string, Readonly<Record<string, ContractJson>>>>
  }
}

export interface Solc {
  compile(input: string): string
  version(): string
}

/** Compiles contracts with a compiler of npm, that of the tree unless another one is given. */
export const compileContracts = (
  name: SettingsName,
  solc: Solc = createRequire(import.meta.url)('solc') as Solc,
  files: readonly string[] = ['Inside.sol', 'Outside.sol'],
): Compiled => {
  const sources = files.map((file) => [
    `contracts/${file}`,
    { content: readFileSync(join(root, 'test/solidity/contracts', file), 'utf8') },
  ])
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(sources),
    settings: {
      ...settings[name],
      outputSelection: {
        '*': { '*': ['abi', 'evm.bytecode', 'evm.deployedBytecode', 'evm.methodIdentifiers'], '': ['ast'] },
      },
    },
  }
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as Compiled['output']
  const error = output.errors?.find(({ severity }) => severity === 'error')
  if (error !== undefined) throw new Error(error.formattedMessage)
  return { version: solc.version(), input, output }
}

/** Returns a contract of the output. */
export const contractOf = ({ output }: Compiled, name: string): ContractJson => {
  for (const contracts of Object.values(output.contracts)) {
    const contract = contracts[name]
    if (contract !== undefined) return contract
  }
  throw new Error(`no contract ${name}`)
}
