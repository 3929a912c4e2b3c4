import type { KnownContract, KnownContracts } from '../chain/abi/knownContracts.ts'
import { type Match, matchCode } from './codeMatch.ts'
import { type CompiledCode, entriesOf, memberOf, readCode } from './compilerJson.ts'

/** A file of the source. */
export interface SourceFile {
  /** Its number in source maps. */
  readonly id: number
  readonly path: string
  readonly content: string
}

/** What one run of the compiler read, which all of its contracts share. */
export interface Compilation {
  readonly files: readonly SourceFile[]
  readonly bytes: number
}

export interface CompiledContract extends KnownContract {
  readonly source: string
  readonly deployed: CompiledCode
  /** The code that creates it, without the parameters of the constructor. */
  readonly creation: CompiledCode
  readonly compilation: Compilation
  /** About how much memory it takes. */
  readonly bytes: number
}

/** The most contracts that are kept; the oldest give way. */
const maxContracts = 10_000
/** The most memory that they take together, about. */
const maxBytes = 128e6

/** The contracts that the node was told of, with `hardhat_addCompilationResult` or by the files of compilers. */
export class ContractRegistry implements KnownContracts {
  #contracts: CompiledContract[] = []

  /** Adds the contracts of solc's standard JSON output and input; what is not as solc writes it is skipped. */
  add(output: object, input: object = {}): void {
    const compilation = toCompilation(readSources(output, input))
    this.addContracts(
      entriesOf(memberOf(output, 'contracts')).flatMap(([source, named]) =>
        entriesOf(named).map(([name, contract]) => {
          const evm = memberOf(contract, 'evm')
          const codes = { bytecode: memberOf(evm, 'bytecode'), deployed: memberOf(evm, 'deployedBytecode') }
          return toContract({ source, name, abi: memberOf(contract, 'abi'), codes, compilation })
        }),
      ),
    )
  }

  /** Adds contracts, the newest last. */
  addContracts(contracts: readonly CompiledContract[]): void {
    this.#contracts = newest([...this.#contracts, ...contracts])
  }

  get isEmpty(): boolean {
    return this.#contracts.length === 0
  }

  /** All contracts, the newest first. */
  all(): readonly KnownContract[] {
    return this.#contracts.toReversed()
  }

  /** Returns the contract whose code this is, whatever its constructor and the linker filled in. */
  find(code: Uint8Array): CompiledContract | undefined {
    return this.#best(({ deployed }) => matchCode(deployed, code))
  }

  /** Returns the contract that this code creates; the parameters of its constructor follow it. */
  findCreated(code: Uint8Array): CompiledContract | undefined {
    return this.#best(({ creation }) => matchCode(creation, code.subarray(0, creation.bytes.length)))
  }

  /** Returns the newest contract that matches whole, or else the newest that matches without its metadata. */
  #best(match: (contract: CompiledContract) => Match | undefined): CompiledContract | undefined {
    let found: CompiledContract | undefined
    for (let at = this.#contracts.length - 1; at >= 0; at--) {
      const contract = this.#contracts[at] as CompiledContract
      const how = match(contract)
      if (how === 'exact') return contract
      if (how === 'metadata') found ??= contract
    }
    return found
  }
}

/** Returns the newest contracts, as many as there is room for. */
const newest = (contracts: readonly CompiledContract[]): CompiledContract[] => {
  let first = contracts.length
  const counted = new Set<Compilation>()
  for (let bytes = 0; first > 0 && contracts.length - first < maxContracts; first--) {
    const contract = contracts[first - 1]
    if (contract === undefined) break
    bytes += contract.bytes + (counted.has(contract.compilation) ? 0 : contract.compilation.bytes)
    counted.add(contract.compilation)
    if (bytes > maxBytes) break
  }
  return contracts.slice(first)
}

/** A value of JSON takes this much beside its text. */
const bytesPerValue = 64

const bytesOf = (value: unknown): number => {
  const text = JSON.stringify(value)
  let bytes = text.length
  for (const character of text) if ('{[,'.includes(character)) bytes += bytesPerValue
  return bytes
}

const readSources = (output: object, input: object): readonly SourceFile[] =>
  entriesOf(memberOf(output, 'sources')).flatMap(([path, one]) => {
    const id = memberOf(one, 'id')
    const content = memberOf(memberOf(memberOf(input, 'sources'), path), 'content')
    return typeof id === 'number' && typeof content === 'string' ? [{ id, path, content }] : []
  })

export const toCompilation = (files: readonly SourceFile[]): Compilation => ({
  files,
  bytes: files.reduce((sum, { path, content }) => sum + path.length + 2 * content.length, 0),
})

export interface ContractJson {
  readonly source: string
  readonly name: string
  readonly abi: unknown
  readonly codes: { readonly bytecode: unknown; readonly deployed: unknown }
  readonly compilation: Compilation
}

export const toContract = ({ source, name, abi, codes, compilation }: ContractJson): CompiledContract => {
  const deployed = readCode(codes.deployed)
  const creation = readCode(codes.bytecode)
  const known = { source, name, abi: Array.isArray(abi) ? abi : [] }
  const length = [deployed, creation].reduce(
    (sum, code) => sum + code.bytes.length + code.sourceMap.length,
    0,
  )
  return {
    ...known,
    ...{ deployed, creation, compilation },
    bytes: length + bytesOf([known, deployed.filled, creation.filled]),
  }
}
