import type { AbiItem } from '../../src/base/abi/item.ts'
import { parseSignature } from '../../src/base/abi/parse.ts'
import { knownErrors, knownEvents, knownFunctions } from '../../src/chain/abi/signatures.ts'

const parseLines = (kind: AbiItem['kind'], text: string): AbiItem[] =>
  text
    .trim()
    .split('\n')
    .map((line) => parseSignature(kind, line))
    .filter((item) => item !== undefined)

let items: readonly AbiItem[] | undefined

/** The common items, taken apart when they are first needed. */
export const knownItems = (): readonly AbiItem[] => {
  items ??= [
    ...parseLines('function', knownFunctions),
    ...parseLines('event', knownEvents),
    ...parseLines('error', knownErrors),
  ]
  return items
}

/** How many lines the table has, for the test that every line can be read. */
export const knownLines = [knownFunctions, knownEvents, knownErrors].join('').trim().split(/\n+/).length
