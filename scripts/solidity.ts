import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { writeFileAtomicallySync } from '../src/base/files/atomicFile.ts'

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

/** What the compiler got and gave, as in the files of Hardhat and Foundry. */
export interface Build {
  readonly input: object
  readonly output: SolcOutput
}

const require = createRequire(import.meta.url)
const cacheFolder = fileURLToPath(new URL('../.cache/solidity', import.meta.url))

/** Returns what solc gives for an input. Loading it takes seconds in each process, so results are kept in `.cache`. */
const runSolc = (input: string): string => {
  const { version } = require('solc/package.json') as { readonly version: string }
  const file = join(cacheFolder, `${createHash('sha256').update(`${version} ${input}`).digest('hex')}.json`)
  if (existsSync(file)) return readFileSync(file, 'utf8')
  const output = (require('solc') as { compile(input: string): string }).compile(input)
  mkdirSync(cacheFolder, { recursive: true })
  writeFileAtomicallySync(file, output, 0o644)
  return output
}

/** Compiles a source text with optimisation; warnings are errors too. `settings` are solc's. */
export const buildSolidity = (source: string, settings: object = {}, selected = outputs): Build => {
  const input = {
    language: 'Solidity',
    sources: { [fileName]: { content: source } },
    settings: { optimizer: { enabled: true }, ...settings, outputSelection: { '*': { '*': selected } } },
  }
  const output = JSON.parse(runSolc(JSON.stringify(input))) as SolcOutput
  const { errors = [] } = output
  if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join('\n'))
  return { input, output }
}

/** Returns the contract `name` of what was compiled. */
export const contractOf = ({ output }: Build, name: string): CompiledContract => {
  const contract = output.contracts[fileName]?.[name]
  if (contract === undefined) throw new Error(`the source has no contract ${name}`)
  return contract
}

/** Compiles the contract `name` of a source text. */
export const compileSolidity = (source: string, name: string, settings: object = {}): CompiledContract =>
  contractOf(buildSolidity(source, settings), name)
