import { nodeFacts } from '../node.ts'
import { call } from '../rpc/client.ts'
import type { Hex } from '../rpc/types.ts'
import { compiledVersion } from '../sources/version.ts'
import { createStore } from '../store.ts'
import { type AbiItem, idOf } from './item.ts'
import { knownItems } from './known.ts'
import { abiList, parseAbi, readAbi } from './parse.ts'

/** An ABI that the reader gave for a contract. */
export interface GivenAbi {
  readonly name: string
  readonly items: readonly AbiItem[]
  /** Who keeps it: the node does for everybody who looks, and it knows those that a compiler told it of. */
  readonly keptBy: 'browser' | 'node' | 'compiler'
}

const prefix = 'perihelion.abi.'
/** Characters of a name that the node takes. */
const maxName = 100

/** The ABIs that were given, by address in small letters. */
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
    return items && { name: String(name), items, keptBy: 'browser' }
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

interface NodeAbi {
  readonly address: Hex
  readonly name: string
  readonly abi: unknown
}

const take = (list: readonly NodeAbi[], keptBy: GivenAbi['keptBy']): void => {
  for (const { address, name, abi } of list) {
    const items = readAbi(abi)
    if (items !== undefined) given.set(address, { name, items, keptBy })
  }
  if (list.length > 0) changed()
}

/** Loads the ABIs that were registered on the node of a chain for development. */
export const loadNodeAbis = async (): Promise<void> => {
  if (nodeFacts.get()?.isDev) take(await call('perihelion_abis'), 'node')
}

const maxAsked = 5000
const maxAtOnce = 100
/** The addresses of which the node was asked whether a compiler told it of their code. */
const asked = new Set<string>()
let waiting: string[] = []

/** Has the node of a chain for development asked for the contract at an address that is shown, once. */
export const notice = (address: Hex): void => {
  const key = address.toLowerCase()
  if (!nodeFacts.get()?.isDev || asked.has(key) || given.has(key)) return
  if (asked.size > maxAsked) asked.clear()
  asked.add(key)
  if (waiting.length === 0) setTimeout(askNode)
  waiting.push(key)
}

const askNode = (): void => {
  const addresses = waiting
  waiting = []
  for (let at = 0; at < addresses.length; at += maxAtOnce)
    call<readonly NodeAbi[]>('perihelion_abis', addresses.slice(at, at + maxAtOnce)).then(
      (list) => take(list, 'compiler'),
      () => {},
    )
}

// What a compiler tells the node later may be of contracts that were asked for.
compiledVersion.subscribe(() => asked.clear())

const changed = (): void => abiVersion.set(abiVersion.get() + 1)

const keepHere = (address: Hex, name: string, text: string): void => {
  try {
    localStorage.setItem(prefix + address.toLowerCase(), JSON.stringify({ name, abi: text }))
  } catch {
    // The browser's store is full or closed: the ABI lasts as long as the page.
  }
}

/** Keeps the ABI of a contract, on the node of a chain for development or else here; returns false if the text is none. */
export const giveAbi = async (address: Hex, name: string, text: string): Promise<boolean> => {
  const items = parseAbi(text)
  if (items === undefined) return false
  const isOnNode =
    nodeFacts.get()?.isDev === true &&
    (await call('perihelion_setAbi', address, name.slice(0, maxName), abiList(text)).then(
      () => true,
      // One that is too large for it, or a node without these methods.
      () => false,
    ))
  if (!isOnNode) keepHere(address, name, text)
  given.set(address.toLowerCase(), { name, items, keptBy: isOnNode ? 'node' : 'browser' })
  changed()
  return true
}

export const forgetAbi = async (address: Hex): Promise<void> => {
  if (abiOf(address)?.keptBy === 'node') await call('perihelion_removeAbi', address)
  given.delete(address.toLowerCase())
  localStorage.removeItem(prefix + address.toLowerCase())
  changed()
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
