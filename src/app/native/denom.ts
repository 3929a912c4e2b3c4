/** The chain's coin in its smallest unit, 10^-18, as the fee of a native transaction names it. */
export const evmDenom = 'aperihelion'
