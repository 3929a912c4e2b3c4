/** An event as CometBFT's JSON-RPC tells it. What the application emits is `NativeEvent`, whose values are bytes. */
export interface TextEvent {
  readonly type: string
  readonly attributes: readonly TextAttribute[]
}

export interface TextAttribute {
  readonly key: string
  /** As text; bytes that are no UTF-8 did not survive JSON. */
  readonly value: string
}
