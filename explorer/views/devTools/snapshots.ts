import { chainKey } from '../../live/node.ts'
import { createStore } from '../../state/store.ts'

/** The snapshots of this page, the newest last. Going back to one uses it and the later ones up. */
export const snapshots = createStore<readonly { readonly id: string; readonly block: number }[]>([])

// On another chain the same numbers are snapshots of somebody else, or none.
let chain = chainKey.get()
chainKey.subscribe(() => {
  if (chain !== undefined) snapshots.set([])
  chain = chainKey.get()
})
