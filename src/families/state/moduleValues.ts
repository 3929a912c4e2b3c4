import { unavailable } from '../../chain/chainError.ts'

const maxShown = 80

/** Parses a whole number that a module writes as text; none is 0. What is no number is the fault of a node, and told as such. */
export const toWholeNumber = (text: string, what: string): bigint => {
  if (!/^\d*$/.test(text)) throw unavailable(`the chain gave ${text.slice(0, maxShown)} as ${what}`)
  return BigInt(text)
}
