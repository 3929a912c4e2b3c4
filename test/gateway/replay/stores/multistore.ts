import { base64 } from '../block/cometJson.ts'
import { iavlTreeOf, type Leaf, simpleTreeOf, type Tree } from './trees.ts'

export interface StoreAnswer {
  readonly value: Uint8Array
  /** JSON of `proofOps`. */
  readonly proof: string
}

/** JSON of `proofOps`, as nodes write it. */
export const proofOpsJson = (
  store: string,
  key: Uint8Array,
  inStore: Uint8Array,
  inMultistore: Uint8Array,
): string =>
  `{"ops":[{"type":"ics23:iavl","key":"${base64(key)}","data":"${base64(inStore)}"},` +
  `{"type":"ics23:simple","key":"${base64(Buffer.from(store))}","data":"${base64(inMultistore)}"}]}`

/** The stores of an application after a block. */
export class Multistore {
  readonly stores: ReadonlyMap<string, Tree>
  readonly #tree: Tree

  constructor(stores: Readonly<Record<string, readonly Leaf[]>>, height: number) {
    this.stores = new Map(
      Object.entries(stores).map(([name, leaves]) => [name, iavlTreeOf(leaves, height)] as const),
    )
    this.#tree = simpleTreeOf(
      [...this.stores].map(([name, { root }]) => ({ key: Buffer.from(name), value: root })),
    )
  }

  get appHash(): Uint8Array {
    return this.#tree.root
  }

  /** Returns the proof that the store with its root is in the AppHash. */
  proveStore(name: string): Uint8Array {
    return this.#tree.prove(Buffer.from(name))
  }

  /** Answers as `store/<name>/key` does; undefined if there is no such store. */
  answer(name: string, key: Uint8Array): StoreAnswer | undefined {
    const tree = this.stores.get(name)
    if (tree === undefined) return undefined
    const value = tree.leaves.find((leaf) => Buffer.compare(leaf.key, key) === 0)?.value
    return {
      value: value ?? new Uint8Array(0),
      proof: proofOpsJson(name, key, tree.prove(key), this.proveStore(name)),
    }
  }
}
