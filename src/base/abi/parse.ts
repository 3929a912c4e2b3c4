import type { AbiItem } from './item.ts'
import { type AbiParameter, parseType } from './type.ts'

/** Splits a list at its commas, not at those inside parentheses. */
const splitList = (text: string): string[] => {
  const parts: string[] = []
  let depth = 0
  let from = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '(') depth++
    else if (text[at] === ')') depth--
    else if (text[at] === ',' && depth === 0) {
      parts.push(text.slice(from, at))
      from = at + 1
    }
  }
  const last = text.slice(from)
  return last.trim() === '' && parts.length === 0 ? [] : [...parts, last]
}

const parseParameter = (text: string): AbiParameter | undefined => {
  const trimmed = text.trim()
  const close = trimmed.lastIndexOf(')')
  const isTuple = trimmed.startsWith('(')
  const fields = isTuple ? parseParameters(trimmed.slice(1, close)) : undefined
  if (isTuple && fields === undefined) return undefined
  const [, suffix = '', rest = ''] =
    /^(\S*)\s*(.*)$/s.exec(isTuple ? trimmed.slice(close + 1) : trimmed) ?? []
  const type = parseType(isTuple ? `tuple${suffix}` : suffix, fields)
  if (type === undefined) return undefined
  const words = rest.split(/\s+/).filter((word) => word !== '')
  return {
    type,
    indexed: words[0] === 'indexed',
    name: words.filter((word) => !/^(?:indexed|memory|calldata|storage)$/.test(word)).join(' '),
  }
}

const parseParameters = (text: string): readonly AbiParameter[] | undefined => {
  const list = splitList(text).map(parseParameter)
  return list.every((one) => one !== undefined) ? list : undefined
}

/**
 * Returns the item of a line such as `transfer(address to,uint256 amount) → (bool)`; an exclamation mark before the arrow
 * makes a function one that writes.
 */
export const parseSignature = (kind: AbiItem['kind'], line: string): AbiItem | undefined => {
  const [, name, list, writes, results] =
    /^(\w+)\((.*?)\)\s*(!?)\s*(?:→\s*\((.*)\))?$/s.exec(line.trim()) ?? []
  if (name === undefined || list === undefined) return undefined
  const inputs = parseParameters(list)
  const outputs = parseParameters(results ?? '')
  if (inputs === undefined || outputs === undefined) return undefined
  const isView = kind === 'function' && writes === '' && results !== undefined
  return { kind, name, inputs, outputs, mutability: isView ? 'view' : 'nonpayable' }
}

interface JsonParameter {
  readonly name?: unknown
  readonly type?: unknown
  readonly indexed?: unknown
  readonly components?: unknown
}

interface JsonItem {
  readonly type?: unknown
  readonly name?: unknown
  readonly inputs?: unknown
  readonly outputs?: unknown
  readonly stateMutability?: unknown
  readonly anonymous?: unknown
}

/** Tuples inside of tuples, and entries of an ABI: no compiler writes as many, and a page would freeze. */
const maxDepth = 32
const maxEntries = 2000

const readParameters = (value: unknown, depth = 0): readonly AbiParameter[] | undefined => {
  if (value === undefined) return []
  if (!Array.isArray(value) || depth > maxDepth || value.length > maxEntries) return undefined
  const list = value.map((one: JsonParameter | null): AbiParameter | undefined => {
    if (typeof one?.type !== 'string') return undefined
    const fields = one.components === undefined ? undefined : readParameters(one.components, depth + 1)
    const type = parseType(one.type, fields)
    const name = typeof one.name === 'string' ? one.name : ''
    return type && { type, name, indexed: one.indexed === true }
  })
  return list.every((one) => one !== undefined) ? list : undefined
}

const readItem = (value: unknown): AbiItem | undefined => {
  const {
    type = 'function',
    name = '',
    inputs,
    outputs,
    stateMutability,
    anonymous,
  } = (value ?? {}) as JsonItem
  if (type !== 'function' && type !== 'event' && type !== 'error' && type !== 'constructor') return undefined
  const ins = readParameters(inputs)
  const outs = readParameters(outputs)
  if (typeof name !== 'string' || ins === undefined || outs === undefined) return undefined
  if (name === '' && type !== 'constructor') return undefined
  // No topic of such an event tells that it is this one.
  if (type === 'event' && anonymous === true) return undefined
  const mutability =
    stateMutability === 'view' || stateMutability === 'pure'
      ? 'view'
      : stateMutability === 'payable'
        ? 'payable'
        : 'nonpayable'
  return { kind: type, name, inputs: ins, outputs: outs, mutability }
}

/** Returns the list of a compiler's ABI: the text's own, or its `abi`; undefined if it has neither. */
export const abiList = (text: string): readonly unknown[] | undefined => {
  try {
    const json: unknown = JSON.parse(text)
    const list = Array.isArray(json) ? json : (json as { readonly abi?: unknown } | null)?.abi
    return Array.isArray(list) ? list : undefined
  } catch {
    return undefined
  }
}

/** Returns the items of an ABI; undefined if it has none, or too many. */
export const readAbi = (list: unknown): readonly AbiItem[] | undefined => {
  if (!Array.isArray(list) || list.length > maxEntries) return undefined
  const items = list.map(readItem).filter((item) => item !== undefined)
  return items.length > 0 ? items : undefined
}

export const parseAbi = (text: string): readonly AbiItem[] | undefined => readAbi(abiList(text))
