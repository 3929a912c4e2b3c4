import { defineNetwork } from './network.ts'

/** The embedded engine. */
export const part = defineNetwork(undefined)
