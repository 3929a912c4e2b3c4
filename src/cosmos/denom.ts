/** The chain's coin in its smallest unit, 10^-18, as the fee of a native transaction names it. */
export const evmDenom = 'aperihelion'

/** Of addresses where the dialect writes them in bech32. */
export const bech32Prefix = 'perihelion'
