/** How the remote of a fork is asked. */
export interface RemoteSettings {
  readonly url: string
  /** Headers of every request, by name; they may have keys, and are never shown. */
  readonly headers: Readonly<Record<string, string>>
  /** How often a request that failed is repeated. */
  readonly retries: number
  /** The pause before the first repetition in milliseconds; each further one is twice as long. */
  readonly backoffMs: number
  /** How long one request may take, in milliseconds. */
  readonly timeoutMs: number
  /** The compute units a second to which requests are slowed down once the remote limits them; 0 for no such limit. */
  readonly computeUnits: number
}

/** The fork that a user asks for. */
export interface ForkSettings extends RemoteSettings {
  /** The number of the fork block; undefined for the newest, and one below zero counts back from it. */
  readonly block: number | undefined
}
