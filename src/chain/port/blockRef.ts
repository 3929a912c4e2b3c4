export const blockTags = ['earliest', 'latest', 'pending', 'safe', 'finalized'] as const

export type BlockTag = (typeof blockTags)[number]

/** A block by its number or by a tag. */
export type BlockNumberOrTag =
  | { readonly kind: 'number'; readonly number: bigint }
  | { readonly kind: 'tag'; readonly tag: BlockTag }

/** A block as a client may name it: by number, tag or hash (EIP-1898). */
export type BlockRef =
  | BlockNumberOrTag
  | { readonly kind: 'hash'; readonly hash: Uint8Array; readonly requireCanonical: boolean }

/** Returns the block on whose state a call can be traced: a pending block cannot. */
export const tracedBlock = (at: BlockRef): BlockRef =>
  at.kind === 'tag' && at.tag === 'pending' ? { kind: 'tag', tag: 'latest' } : at
