/** An event in CometBFT's JSON-RPC. The application emits `NativeEvent`, whose values are bytes. */
export interface TextEvent {
  readonly type: string
  readonly attributes: readonly TextAttribute[]
}

export interface TextAttribute {
  readonly key: string
  /** The value as text; bytes that are not UTF-8 are lost in JSON. */
  readonly value: string
}
