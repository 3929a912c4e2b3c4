import { defineNetwork } from './network.ts'

/** One validator under CometBFT. */
export const part = defineNetwork(1)
