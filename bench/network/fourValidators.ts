import { defineNetwork } from './network.ts'

/** Four validators under CometBFT, all on this machine. */
export const part = defineNetwork(4)
