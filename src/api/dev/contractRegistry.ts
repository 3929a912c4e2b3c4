/** A contract as its compiler described it. */
export interface KnownContract {
  readonly source: string
  readonly name: string
  /** The ABI as the compiler gave it, a list of its functions, events and errors. */
  readonly abi: readonly unknown[]
}

interface CompiledContract extends KnownContract {
  readonly code: Buffer
  /** The parts of the code that a constructor fills in. */
  readonly immutables: readonly { readonly start: number; readonly length: number }[]
}

interface CompilerContract {
  readonly abi?: readonly unknown[]
  readonly evm?: {
    readonly deployedBytecode?: {
      readonly object?: string
      readonly immutableReferences?: Readonly<Record<string, readonly { start: number; length: number }[]>>
      readonly linkReferences?: Readonly<
        Record<string, Readonly<Record<string, readonly { start: number; length: number }[]>>>
      >
    }
  }
}

/** The part of solc's standard JSON output that is read. */
export interface CompilerOutput {
  readonly contracts?: Readonly<Record<string, Readonly<Record<string, CompilerContract>>>> | undefined
}

/** The most contracts that are kept; the oldest give way. */
const maxContracts = 10_000

/** The contracts that clients told the node of with `hardhat_addCompilationResult`, so that logs can name them. */
export class ContractRegistry {
  #contracts: CompiledContract[] = []

  add({ contracts = {} }: CompilerOutput): void {
    for (const [source, named] of Object.entries(contracts))
      for (const [name, contract] of Object.entries(named)) this.#add(source, name, contract)
    this.#contracts = this.#contracts.slice(-maxContracts)
  }

  /** All contracts, the newest first. */
  all(): readonly KnownContract[] {
    return this.#contracts.toReversed()
  }

  /** Returns the contract whose code this is, whatever its constructor and the linker filled in. */
  find(code: Uint8Array): KnownContract | undefined {
    return this.#contracts.findLast((contract) => isCodeOf(contract, code))
  }

  #add(source: string, name: string, { abi = [], evm }: CompilerContract): void {
    const { object = '', immutableReferences = {}, linkReferences = {} } = evm?.deployedBytecode ?? {}
    const links = Object.values(linkReferences).flatMap((libraries) => Object.values(libraries).flat())
    const immutables = [...Object.values(immutableReferences).flat(), ...links]
    // The name of a library that is not linked takes the place of its address.
    const code = Buffer.from(object.replace(/__\$[0-9a-fA-F]{34}\$__|__.{38}/g, '0'.repeat(40)), 'hex')
    this.#contracts.push({ source, name, abi, code, immutables })
  }
}

const isCodeOf = ({ code, immutables }: CompiledContract, other: Uint8Array): boolean => {
  if (code.length === 0 || code.length !== other.length) return false
  const masked = Buffer.from(other)
  for (const { start, length } of immutables) masked.set(code.subarray(start, start + length), start)
  return masked.equals(code)
}
