import { unavailable } from '../../chain/chainError.ts'

const maxShown = 80

/** Parses a whole number that a module writes as text; an empty text is 0. Any other text is an error of the node. */
export const toWholeNumber = (text: string, what: string): bigint => {
  if (!/^\d*$/.test(text)) throw unavailable(`the chain gave ${text.slice(0, maxShown)} as ${what}`)
  return BigInt(text)
}
