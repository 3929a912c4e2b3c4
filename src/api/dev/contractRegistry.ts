import type { KnownContract, KnownContracts } from '../../chain/abi/knownContracts.ts'

/** A part of a code. */
interface Span {
  readonly start: number
  readonly length: number
}

/** A file of the source. */
export interface SourceFile {
  /** Its number in source maps. */
  readonly id: number
  readonly path: string
  readonly content: string
}

/** What one run of the compiler read, which all of its contracts share. */
interface Compilation {
  readonly files: readonly SourceFile[]
  readonly bytes: number
}

export interface CompiledContract extends KnownContract {
  readonly source: string
  readonly code: Uint8Array
  /** Which part of the source each instruction is of, as solc writes it; empty if it was not asked for. */
  readonly sourceMap: string
  /** The code that creates it, without the parameters of the constructor. */
  readonly creationCode: Uint8Array
  readonly creationMap: string
  readonly creationFilled: readonly Span[]
  readonly compilation: Compilation
  /** The parts of the code that a constructor or the linker fills in. */
  readonly filled: readonly Span[]
  /** About how much memory it takes. */
  readonly bytes: number
}

/** The most contracts that are kept; the oldest give way. */
const maxContracts = 10_000
/** The most memory that they take together, about. */
const maxBytes = 128e6

/** The contracts that clients told the node of with `hardhat_addCompilationResult`, so that logs can name them. */
export class ContractRegistry implements KnownContracts {
  #contracts: CompiledContract[] = []

  /** Adds the contracts of solc's standard JSON output and input; what is not as solc writes it is skipped. */
  add(output: object, input: object = {}): void {
    const compilation = readSources(output, input)
    for (const [source, named] of entriesOf(memberOf(output, 'contracts')))
      for (const [name, contract] of entriesOf(named))
        this.#contracts.push(read(source, name, contract, compilation))
    this.#contracts = newest(this.#contracts)
  }

  /** All contracts, the newest first. */
  all(): readonly KnownContract[] {
    return this.#contracts.toReversed()
  }

  /** Returns the contract whose code this is, whatever its constructor and the linker filled in. */
  find(code: Uint8Array): CompiledContract | undefined {
    return this.#contracts.findLast((contract) => isCodeOf(contract.code, contract.filled, code))
  }

  /** Returns the contract that this code creates; the parameters of its constructor follow it. */
  findCreated(code: Uint8Array): CompiledContract | undefined {
    return this.#contracts.findLast(({ creationCode, creationFilled }) =>
      isCodeOf(creationCode, creationFilled, code.subarray(0, creationCode.length)),
    )
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

const readSources = (output: object, input: object): Compilation => {
  const files = entriesOf(memberOf(output, 'sources')).flatMap(([path, one]) => {
    const id = memberOf(one, 'id')
    const content = memberOf(memberOf(memberOf(input, 'sources'), path), 'content')
    return typeof id === 'number' && typeof content === 'string' ? [{ id, path, content }] : []
  })
  return { files, bytes: files.reduce((sum, { path, content }) => sum + path.length + 2 * content.length, 0) }
}

const read = (
  source: string,
  name: string,
  contract: unknown,
  compilation: Compilation,
): CompiledContract => {
  const abi = memberOf(contract, 'abi')
  const deployed = readCode(memberOf(memberOf(contract, 'evm'), 'deployedBytecode'))
  const creation = readCode(memberOf(memberOf(contract, 'evm'), 'bytecode'))
  const known = { source, name, abi: Array.isArray(abi) ? abi : [] }
  const codes = deployed.code.length + creation.code.length + deployed.map.length + creation.map.length
  return {
    ...known,
    code: deployed.code,
    filled: deployed.filled,
    sourceMap: deployed.map,
    creationCode: creation.code,
    creationMap: creation.map,
    creationFilled: creation.filled,
    compilation,
    bytes: codes + bytesOf([known, deployed.filled, creation.filled]),
  }
}

/** Reads a code of the compiler's output with the parts that are filled in later. */
const readCode = (json: unknown) => {
  const object = memberOf(json, 'object')
  const map = memberOf(json, 'sourceMap')
  const spans = [
    ...entriesOf(memberOf(json, 'immutableReferences')).map(([, references]) => references),
    ...entriesOf(memberOf(json, 'linkReferences')).flatMap(([, libraries]) =>
      entriesOf(libraries).map(([, references]) => references),
    ),
  ]
  // The name of a library that is not linked takes the place of its address.
  const code = Buffer.from(
    typeof object === 'string' ? object.replace(/^0x/, '').replace(/__.{38}/g, '0'.repeat(40)) : '',
    'hex',
  )
  const filled = spans.flatMap((references) => (Array.isArray(references) ? references.filter(isSpan) : []))
  return { code, filled, map: typeof map === 'string' ? map : '' }
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined

const entriesOf = (value: unknown): readonly (readonly [string, unknown])[] =>
  typeof value === 'object' && value !== null ? Object.entries(value) : []

const isSpan = (value: unknown): value is Span =>
  Number.isSafeInteger(memberOf(value, 'start')) && Number.isSafeInteger(memberOf(value, 'length'))

const isCodeOf = (code: Uint8Array, filled: readonly Span[], other: Uint8Array): boolean => {
  if (code.length === 0 || code.length !== other.length) return false
  const masked = Buffer.from(other)
  for (const { start, length } of filled) {
    const part = code.subarray(start, start + length)
    if (start >= 0 && start + part.length <= masked.length) masked.set(part, start)
  }
  return masked.equals(code)
}
