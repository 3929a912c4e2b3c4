export const blockTags = ['earliest', 'latest', 'pending', 'safe', 'finalized'] as const

export type BlockTag = (typeof blockTags)[number]

/** A block by its height or by the name of a height. */
export type BlockNumberOrTag =
  | { readonly kind: 'number'; readonly number: bigint }
  | { readonly kind: 'tag'; readonly tag: BlockTag }

/** Any way in which a client may name a block (EIP-1898). */
export type BlockRef =
  | BlockNumberOrTag
  | { readonly kind: 'hash'; readonly hash: Uint8Array; readonly requireCanonical: boolean }
