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

/** The contracts that the node knows, from `hardhat_addCompilationResult` or by the files of compilers. */
export class ContractRegistry implements KnownContracts {
  /** The oldest first. */
  readonly #contracts: CompiledContract[] = []
  /** How many of them each run of the compiler has. */
  readonly #compilations = new Map<Compilation, number>()
  #bytes = 0

  /** Adds the contracts of solc's standard JSON output and input; what is not as solc writes it is skipped. */
  add(output: object, input: object = {}): void {
    for (const contract of readContracts(output, input)) this.addContract(contract)
  }

  /** Adds a contract; the oldest give way to it. */
  addContract(contract: CompiledContract): void {
    const { compilation } = contract
    const others = this.#compilations.get(compilation) ?? 0
    this.#contracts.push(contract)
    this.#compilations.set(compilation, others + 1)
    this.#bytes += contract.bytes + (others === 0 ? compilation.bytes : 0)
    while (this.#contracts.length > maxContracts || this.#bytes > maxBytes) this.#removeOldest()
  }

  #removeOldest(): void {
    const oldest = this.#contracts.shift()
    if (oldest === undefined) return
    const { compilation } = oldest
    const others = (this.#compilations.get(compilation) ?? 1) - 1
    this.#bytes -= oldest.bytes + (others === 0 ? compilation.bytes : 0)
    if (others === 0) this.#compilations.delete(compilation)
    else this.#compilations.set(compilation, others)
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

/** A value of JSON takes this much beside its text. */
const bytesPerValue = 64

/** Returns about how much memory a value takes; more than `limit` once it exceeds that. */
const bytesOf = (value: unknown, limit: number): number => {
  const left = [value]
  let bytes = 0
  while (left.length > 0 && bytes <= limit) {
    const one = left.pop()
    bytes += bytesPerValue
    if (typeof one === 'string') bytes += one.length
    if (typeof one !== 'object' || one === null) continue
    for (const key in one) {
      bytes += key.length
      left.push(Reflect.get(one, key))
    }
  }
  return bytes
}

/** Reads the contracts of solc's standard JSON one by one; `pathOf` gives the path of a source that has another name there. */
export function* readContracts(
  output: object,
  input: object = {},
  pathOf = (source: string): string => source,
): Generator<CompiledContract> {
  const files = readSources(output, input)
  const compilation = toCompilation(files.map((file) => ({ ...file, path: pathOf(file.path) })))
  for (const [source, named] of entriesOf(memberOf(output, 'contracts')))
    for (const [name, contract] of entriesOf(named)) {
      const evm = memberOf(contract, 'evm')
      const codes = { bytecode: memberOf(evm, 'bytecode'), deployed: memberOf(evm, 'deployedBytecode') }
      yield toContract({
        ...{ source: pathOf(source), name, abi: memberOf(contract, 'abi'), codes, compilation },
      })
    }
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
    bytes: length + bytesOf([known, deployed.filled, creation.filled], maxBytes),
  }
}
