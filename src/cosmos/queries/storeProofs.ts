import { encodeUtf8 } from '../../base/encoding/utf8.ts'

/** The operations of a proof of a Perihelion chain, defined once for both sides. */
export const storeProofs = {
  /** An RLP list of the nodes of a trie, from its root to where the key is, or would be. */
  trie: 'perihelion:mpt',
  /** The RLP of a header: from the state root in it to its hash. */
  header: 'perihelion:header',
  headerKey: encodeUtf8('stateRoot'),
} as const
