import { defineSending } from './part.ts'

/** Blocks at a beat that all of them have: a transaction is answered before its block. */
export const part = defineSending(1_000)
