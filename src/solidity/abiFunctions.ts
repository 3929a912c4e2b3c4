import { selectorOf } from '../chain/abi/knownContracts.ts'
import { memberOf, textOf } from './compilerJson.ts'

/** What the ABI of a contract says of a function, or of what takes the place of one. */
export interface AbiFunction {
  readonly type: string
  readonly name: string
  readonly parameters: number
  readonly isPayable: boolean
}

/** What the ABI of a contract says of how it is entered. */
export interface AbiFunctions {
  readonly bySelector: ReadonlyMap<string, AbiFunction>
  readonly fallback: AbiFunction | undefined
  readonly receive: AbiFunction | undefined
  readonly creation: AbiFunction | undefined
}

const known = new WeakMap<readonly unknown[], AbiFunctions>()

export const abiFunctionsOf = (abi: readonly unknown[]): AbiFunctions => {
  const found = known.get(abi)
  if (found !== undefined) return found
  const bySelector = new Map<string, AbiFunction>()
  const others = new Map<string, AbiFunction>()
  for (const item of abi) {
    const type = textOf(memberOf(item, 'type'))
    const name = textOf(memberOf(item, 'name'))
    const inputs = listOf(memberOf(item, 'inputs'))
    const isPayable = memberOf(item, 'stateMutability') === 'payable'
    const read = { type, name, parameters: inputs.length, isPayable }
    if (type === 'function') bySelector.set(selectorOf(name, inputs.map(typeOf)), read)
    else others.set(type, read)
  }
  const made = {
    bySelector,
    fallback: others.get('fallback'),
    receive: others.get('receive'),
    creation: others.get('constructor'),
  }
  known.set(abi, made)
  return made
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** The type of a parameter as signatures have it: a struct is the list of its members. */
const typeOf = (input: unknown): string => {
  const type = textOf(memberOf(input, 'type'))
  if (!type.startsWith('tuple')) return type
  return `(${listOf(memberOf(input, 'components')).map(typeOf).join(',')})${type.slice('tuple'.length)}`
}
