/** The access level of a method, which decides which callers may call it (see `access.ts`). */
export type Access = 'public' | 'private' | 'signing' | 'dev'

/**
 * What a call costs the server, which decides what it waits for and what it is charged: `cheap` reads a row or two,
 * `state` many of them, `logs` searches the chain for logs, `evm` runs code, `trace` runs history again, `write` changes the chain. Each class but the first
 * has limits of its own (see `workLimiter.ts`).
 */
export type WorkClass = 'cheap' | 'state' | 'logs' | 'evm' | 'trace' | 'write'

/** Returns the namespace of a method name: `eth` for `eth_call`, `rpc` for `rpc.discover`. */
export const namespaceOf = (name: string): string => name.split(/[_.]/, 1)[0] as string
