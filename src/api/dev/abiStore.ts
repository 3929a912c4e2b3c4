import { join } from 'node:path'
import { writeFileAtomicallySync } from '../../base/files/atomicFile.ts'
import { readTextFile } from '../../base/files/readFile.ts'

/** The ABI of a contract, as somebody registered it. */
export interface RegisteredAbi {
  /** In small letters. */
  readonly address: string
  readonly name: string
  /** The list as the compiler wrote it. */
  readonly abi: readonly unknown[]
}

const maxAbis = 1000
/** The most text of all together, which is what the file has. */
const maxCharacters = 4_000_000
export const maxNameLength = 100
export const maxAbiLength = 500_000

/**
 * The ABIs that people gave for contracts of a chain for development, so that whoever looks at it sees them. They are kept
 * in the home; the oldest give way.
 */
export class AbiStore {
  readonly #path: string
  /** By address, the oldest first; undefined until they are needed. */
  #abis: Map<string, RegisteredAbi> | undefined

  constructor(home: string) {
    this.#path = join(home, 'abis.json')
  }

  all(): readonly RegisteredAbi[] {
    return [...this.#known().values()]
  }

  set(abi: RegisteredAbi): void {
    const abis = this.#known()
    abis.delete(abi.address)
    abis.set(abi.address, abi)
    this.#save(abis)
  }

  /** Returns whether there was one. */
  remove(address: string): boolean {
    const abis = this.#known()
    const isKnown = abis.delete(address)
    if (isKnown) this.#save(abis)
    return isKnown
  }

  #save(abis: Map<string, RegisteredAbi>): void {
    let texts = [...abis.values()].map((abi) => JSON.stringify(abi))
    let length = texts.reduce((sum, text) => sum + text.length, 0)
    for (const address of [...abis.keys()]) {
      if (abis.size <= maxAbis && length <= maxCharacters) break
      abis.delete(address)
      length -= texts[0]?.length ?? 0
      texts = texts.slice(1)
    }
    writeFileAtomicallySync(this.#path, `[${texts.join(',\n')}]\n`, 0o600)
  }

  #known(): Map<string, RegisteredAbi> {
    this.#abis ??= new Map(this.#load().map((abi) => [abi.address, abi]))
    return this.#abis
  }

  /** A file that is missing or was spoiled is as if nobody had registered anything. */
  #load(): readonly RegisteredAbi[] {
    try {
      const list: unknown = JSON.parse(readTextFile(this.#path, 4 * maxCharacters))
      return Array.isArray(list) ? list.filter(isRegistered) : []
    } catch {
      return []
    }
  }
}

const isRegistered = (value: unknown): value is RegisteredAbi => {
  const { address, name, abi } = (value ?? {}) as Partial<RegisteredAbi>
  return typeof address === 'string' && typeof name === 'string' && Array.isArray(abi)
}
