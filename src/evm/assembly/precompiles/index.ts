// The arithmetic of two precompiles, apart from the interpreter: it needs no journal and no host.

export * from './blake2f'
export * from './modexp'

/** Where the caller's memory begins: behind the tables of this module. */
export const scratch: usize = (__heap_base + 15) & ~15
