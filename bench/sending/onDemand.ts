import { defineSending } from './part.ts'

/** Blocks as soon as there are transactions. */
export const part = defineSending(undefined)
