import type { AbiItem } from '../../src/base/abi/item.ts'
import { abiList, parseAbi, readAbi } from '../../src/base/abi/parse.ts'
import { chainChanges } from '../live/live.ts'
import { chainKey, nodeFacts } from '../live/node.ts'
import { call } from '../rpc/client.ts'
import type { Hex } from '../rpc/types.ts'
import { compiledVersion } from '../sources/version.ts'
import { keepText } from '../state/browserStore.ts'
import { createStore } from '../state/store.ts'
import { idOf } from './id.ts'
import { knownItems } from './known.ts'

/** An ABI that the reader gave for a contract. */
export interface GivenAbi {
  readonly name: string
  readonly items: readonly AbiItem[]
  /** Who keeps it: the node does for everybody who looks, and it knows those that a compiler told it of. */
  readonly keptBy: 'browser' | 'node' | 'compiler'
}

/** Where the browser keeps those of a chain: it keeps them by host, below which there may be several chains. */
const prefixOf = (chain: string): string => `perihelion.abi.${chain}.`
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

/** Takes those that the browser keeps for this chain, unless there are others that count more. */
const takeKept = (): void => {
  const chain = chainKey.get()
  if (chain === undefined) return
  const prefix = prefixOf(chain)
  try {
    for (let at = 0; at < localStorage.length; at++) {
      const key = localStorage.key(at) ?? ''
      const address = key.slice(prefix.length)
      const found = key.startsWith(prefix) && !given.has(address) ? read(key) : undefined
      if (found !== undefined) given.set(address, found)
    }
  } catch {
    // The browser's store is closed.
  }
}

interface NodeAbi {
  readonly address: Hex
  readonly name: string
  readonly abi: unknown
}

const take = (list: readonly NodeAbi[], keptBy: (address: string) => GivenAbi['keptBy']): void => {
  for (const { address, name, abi } of list) {
    const items = readAbi(abi)
    if (items !== undefined)
      given.set(address.toLowerCase(), { name: String(name), items, keptBy: keptBy(address.toLowerCase()) })
  }
  if (list.length > 0) changed()
}

/** Loads the ABIs that were registered on the node of a chain for development. */
export const loadNodeAbis = async (): Promise<void> => {
  const before = new Map(given)
  const list = nodeFacts.get()?.isDev ? await call<readonly NodeAbi[]>('perihelion_abis') : []
  // What was given or forgotten while the node was asked counts more than its response.
  const isUntouched = (address: string): boolean => given.get(address) === before.get(address)
  const taken = list.filter(({ address }) => isUntouched(address.toLowerCase()))
  // Those of a node that was here before are not of this one.
  forgetKeptBy('node', isUntouched)
  take(taken, () => 'node')
}

const maxAsked = 5000
const maxAtOnce = 100
/** The addresses that the node was asked about: whether a compiler registered their code. */
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
    void askFor(addresses.slice(at, at + maxAtOnce)).catch(() => {})
}

/** Rises when answers that are on their way are not to be taken any more. */
let turn = 0

const askFor = async (addresses: readonly string[]): Promise<void> => {
  const own = turn
  // Somebody may give one while the node is asked, which counts more.
  const isMissing = ({ address }: NodeAbi): boolean => own === turn && !given.has(address.toLowerCase())
  const found = (await call<readonly NodeAbi[]>('perihelion_abis', addresses)).filter(isMissing)
  if (found.length === 0) return
  // The response has both; an ABI that somebody registered can be forgotten, an ABI of a compiler cannot.
  const registered = new Set(
    (await call<readonly NodeAbi[]>('perihelion_abis')).map(({ address }) => address.toLowerCase()),
  )
  take(found.filter(isMissing), (address) => (registered.has(address) ? 'node' : 'compiler'))
}

/** Forgets what the node told of contracts: it may know more by now, or an address may have other code. */
const askAgain = (): void => {
  turn++
  asked.clear()
  forgetKeptBy('compiler')
}

const forgetKeptBy = (who: GivenAbi['keptBy'], isMeant: (address: string) => boolean = () => true): void => {
  for (const [address, { keptBy }] of given) if (keptBy === who && isMeant(address)) given.delete(address)
  takeKept()
  changed()
}
compiledVersion.subscribe(askAgain)
chainChanges.subscribe(askAgain)

let before = chainKey.get()
chainKey.subscribe(() => {
  if (before !== undefined) forgetKeptBy('browser')
  else {
    // What was given before the chain was known is of this one.
    for (const [address, { name, text }] of early) keepHere(address, name, text)
    early.clear()
    takeKept()
    changed()
  }
  before = chainKey.get()
})

const changed = (): void => {
  ofAll = undefined
  abiVersion.set(abiVersion.get() + 1)
}

/** The name under which the browser keeps an ABI; undefined while its chain is not known. */
const keyOf = (address: string): string | undefined => {
  const chain = chainKey.get()
  return chain === undefined ? undefined : prefixOf(chain) + address.toLowerCase()
}

/** Those that were given before their chain was known. */
const early = new Map<string, { readonly name: string; readonly text: string }>()

const keepHere = (address: string, name: string, text: string): void => {
  const key = keyOf(address)
  if (key === undefined) early.set(address.toLowerCase(), { name, text })
  else keepText(key, JSON.stringify({ name, abi: text }))
}

/** Keeps the ABI of a contract, on the node of a chain for development or else here; returns false if the text is not an ABI. */
export const giveAbi = async (address: Hex, name: string, text: string): Promise<boolean> => {
  const items = parseAbi(text)
  if (items === undefined) return false
  const isOnNode =
    nodeFacts.get()?.isDev === true &&
    (await call('perihelion_setAbi', address, name.slice(0, maxName), abiList(text)).then(
      () => true,
      // A contract that is too large for it, or a node without these methods.
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
  early.delete(address.toLowerCase())
  const key = keyOf(address)
  if (key !== undefined) keepText(key, undefined)
  changed()
}

export const abiOf = (address: Hex | undefined | null): GivenAbi | undefined =>
  address == null ? undefined : given.get(address.toLowerCase())

type ById = ReadonlyMap<Hex, readonly AbiItem[]>

let known: ById | undefined
/** The items of all contracts together; made again after a change. */
let ofAll: ById | undefined
/** An ABI is looked into for every row of a table. */
const ofOne = new WeakMap<GivenAbi, ById>()

const indexOf = (items: readonly AbiItem[]): ById => {
  const byId = new Map<Hex, AbiItem[]>()
  for (const item of items) {
    const same = byId.get(idOf(item))
    if (same === undefined) byId.set(idOf(item), [item])
    else same.push(item)
  }
  return byId
}

const indexOfAbi = (abi: GivenAbi): ById => {
  const found = ofOne.get(abi) ?? indexOf(abi.items)
  ofOne.set(abi, found)
  return found
}

/** Returns the items that an id may mean, the contract's own first, then those of other contracts, then the common ones. */
export const candidates = (id: Hex, address: Hex | undefined | null): readonly AbiItem[] => {
  known ??= indexOf(knownItems())
  ofAll ??= indexOf([...given.values()].flatMap(({ items }) => items))
  const abi = abiOf(address)
  const own = (abi && indexOfAbi(abi).get(id)) ?? []
  return [...new Set([...own, ...(ofAll.get(id) ?? []), ...(known.get(id) ?? [])])]
}
