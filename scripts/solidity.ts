import { createRequire } from 'node:module'

export interface CompiledContract {
  readonly abi: readonly AbiItem[]
  readonly evm: {
    readonly bytecode: { readonly object: string }
    readonly deployedBytecode: { readonly object: string }
  }
  readonly storageLayout: { readonly storage: readonly { readonly slot: string; readonly label: string }[] }
}

export interface AbiItem {
  readonly type: string
  readonly name?: string
}

interface SolcOutput {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[]
  readonly contracts: Readonly<Record<string, Readonly<Record<string, CompiledContract>>>>
}

const fileName = 'contract.sol'
const outputs = ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object', 'storageLayout']

/** Compiles the contract `name` of a source text with optimisation; warnings are errors too. `settings` are solc's. */
export const compileSolidity = (source: string, name: string, settings: object = {}): CompiledContract => {
  const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string }
  const input = {
    language: 'Solidity',
    sources: { [fileName]: { content: source } },
    settings: { optimizer: { enabled: true }, ...settings, outputSelection: { '*': { '*': outputs } } },
  }
  const { errors = [], contracts } = JSON.parse(solc.compile(JSON.stringify(input))) as SolcOutput
  if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join('\n'))
  const contract = contracts[fileName]?.[name]
  if (contract === undefined) throw new Error(`the source has no contract ${name}`)
  return contract
}
