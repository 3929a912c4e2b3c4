import type { KnownContract, KnownContracts } from '../../chain/knownContracts.ts'

/** A part of a code. */
interface Span {
  readonly start: number
  readonly length: number
}

interface CompiledContract extends KnownContract {
  readonly source: string
  readonly code: Buffer
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

  /** Adds the contracts of solc's standard JSON output; what is not as solc writes it is skipped. */
  add(output: object): void {
    for (const [source, named] of entriesOf(memberOf(output, 'contracts')))
      for (const [name, contract] of entriesOf(named)) this.#contracts.push(read(source, name, contract))
    this.#contracts = newest(this.#contracts)
  }

  /** All contracts, the newest first. */
  all(): readonly KnownContract[] {
    return this.#contracts.toReversed()
  }

  /** Returns the contract whose code this is, whatever its constructor and the linker filled in. */
  find(code: Uint8Array): KnownContract | undefined {
    return this.#contracts.findLast((contract) => isCodeOf(contract, code))
  }
}

/** Returns the newest contracts, as many as there is room for. */
const newest = (contracts: readonly CompiledContract[]): CompiledContract[] => {
  let first = contracts.length
  for (let bytes = 0; first > 0 && contracts.length - first < maxContracts; first--) {
    bytes += contracts[first - 1]?.bytes ?? 0
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

const read = (source: string, name: string, contract: unknown): CompiledContract => {
  const abi = memberOf(contract, 'abi')
  const deployed = memberOf(memberOf(contract, 'evm'), 'deployedBytecode')
  const object = memberOf(deployed, 'object')
  const spans = [
    ...entriesOf(memberOf(deployed, 'immutableReferences')).map(([, references]) => references),
    ...entriesOf(memberOf(deployed, 'linkReferences')).flatMap(([, libraries]) =>
      entriesOf(libraries).map(([, references]) => references),
    ),
  ]
  const known = { source, name, abi: Array.isArray(abi) ? abi : [] }
  // The name of a library that is not linked takes the place of its address.
  const code = Buffer.from(
    typeof object === 'string' ? object.replace(/__.{38}/g, '0'.repeat(40)) : '',
    'hex',
  )
  const filled = spans.flatMap((references) => (Array.isArray(references) ? references.filter(isSpan) : []))
  return { ...known, code, filled, bytes: code.length + bytesOf([known, filled]) }
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined

const entriesOf = (value: unknown): readonly (readonly [string, unknown])[] =>
  typeof value === 'object' && value !== null ? Object.entries(value) : []

const isSpan = (value: unknown): value is Span =>
  Number.isSafeInteger(memberOf(value, 'start')) && Number.isSafeInteger(memberOf(value, 'length'))

const isCodeOf = ({ code, filled }: CompiledContract, other: Uint8Array): boolean => {
  if (code.length === 0 || code.length !== other.length) return false
  const masked = Buffer.from(other)
  for (const { start, length } of filled) {
    const part = code.subarray(start, start + length)
    if (start >= 0 && start + part.length <= masked.length) masked.set(part, start)
  }
  return masked.equals(code)
}
