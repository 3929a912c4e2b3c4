import type { Hex } from '../rpc/types.ts'
import { createStore } from '../store.ts'
import { type AbiItem, idOf } from './item.ts'
import { knownItems } from './known.ts'
import { parseAbi } from './parse.ts'

/** An ABI that the reader gave for a contract. */
export interface GivenAbi {
  readonly name: string
  readonly items: readonly AbiItem[]
}

const prefix = 'perihelion.abi.'

/** The ABIs that were given, by address in small letters. They stay in this browser. */
const given = new Map<string, GivenAbi>()

/** Changes with every ABI that is given or forgotten, so that views decode again. */
export const abiVersion = createStore(0)

const read = (key: string): GivenAbi | undefined => {
  try {
    const { name, abi } = JSON.parse(localStorage.getItem(key) ?? '') as {
      readonly name: string
      readonly abi: string
    }
    const items = parseAbi(abi)
    return items && { name: String(name), items }
  } catch {
    return undefined
  }
}

export const loadGivenAbis = (): void => {
  for (let at = 0; at < localStorage.length; at++) {
    const key = localStorage.key(at) ?? ''
    if (!key.startsWith(prefix)) continue
    const found = read(key)
    if (found !== undefined) given.set(key.slice(prefix.length), found)
  }
}

/** Keeps the ABI of a contract; returns false if the text is none. */
export const giveAbi = (address: Hex, name: string, text: string): boolean => {
  const items = parseAbi(text)
  if (items === undefined) return false
  given.set(address.toLowerCase(), { name, items })
  try {
    localStorage.setItem(prefix + address.toLowerCase(), JSON.stringify({ name, abi: text }))
  } catch {
    // The browser's store is full or closed: the ABI lasts as long as the page.
  }
  abiVersion.set(abiVersion.get() + 1)
  return true
}

export const forgetAbi = (address: Hex): void => {
  given.delete(address.toLowerCase())
  localStorage.removeItem(prefix + address.toLowerCase())
  abiVersion.set(abiVersion.get() + 1)
}

export const abiOf = (address: Hex | undefined | null): GivenAbi | undefined =>
  address == null ? undefined : given.get(address.toLowerCase())

let known: ReadonlyMap<Hex, readonly AbiItem[]> | undefined

const indexOf = (items: readonly AbiItem[]): ReadonlyMap<Hex, readonly AbiItem[]> => {
  const byId = new Map<Hex, AbiItem[]>()
  for (const item of items) {
    const same = byId.get(idOf(item))
    if (same === undefined) byId.set(idOf(item), [item])
    else same.push(item)
  }
  return byId
}

/** Returns the items that an id may mean, the contract's own first, then those of other contracts, then the common ones. */
export const candidates = (id: Hex, address: Hex | undefined | null): readonly AbiItem[] => {
  known ??= indexOf(knownItems())
  const own = abiOf(address)
  const others = [...given.values()].filter((abi) => abi !== own)
  const ofGiven = [...(own === undefined ? [] : [own]), ...others].flatMap(({ items }) =>
    items.filter((item) => idOf(item) === id),
  )
  return [...ofGiven, ...(known.get(id) ?? [])]
}
