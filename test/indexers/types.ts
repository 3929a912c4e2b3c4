/** Answers as they come over the wire, as far as indexers read them. */

export interface WireTransaction {
  readonly hash: string
  readonly blockHash: string
  readonly blockNumber: string
  readonly transactionIndex: string
  readonly from: string
  readonly to: string | null
  readonly value: string
}

export interface WireBlock {
  readonly hash: string
  readonly parentHash: string
  readonly number: string
  readonly timestamp: string
  readonly logsBloom: string
  readonly transactions: readonly WireTransaction[]
}

export interface WireLog {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
  readonly blockHash: string
  readonly blockNumber: string
  readonly transactionHash: string
  readonly transactionIndex: string
  readonly logIndex: string
}

export interface WireReceipt {
  readonly transactionHash: string
  readonly blockHash: string
  readonly blockNumber: string
  readonly status: string
  readonly gasUsed: string
  readonly logs: readonly WireLog[]
}

export interface WireFrame {
  readonly type: string
  readonly from: string
  readonly to?: string
  readonly value?: string
  readonly input: string
  readonly error?: string
  readonly calls?: readonly WireFrame[]
}

export interface WireFrames {
  readonly txHash: string
  readonly result: WireFrame
}

export const toTag = (number: number): string => `0x${number.toString(16)}`

/** All frames of a call, the outer ones first. */
export const flatFrames = (frame: WireFrame): readonly WireFrame[] => [
  frame,
  ...(frame.calls ?? []).flatMap(flatFrames),
]
