/** The name of the chain's coin in its smallest unit (10^-18), as the fee of a native transaction has it. */
export const evmDenom = 'aperihelion'

/** The prefix of addresses where the dialect writes them in bech32. */
export const bech32Prefix = 'perihelion'
