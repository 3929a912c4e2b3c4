import type { LightHead, LightProvider } from 'perihelion/light'
import { keepText, keptText } from '../state/browserStore.ts'
import { createStore } from '../state/store.ts'
import { texts } from '../texts/texts.ts'
import { endpointsOf, parseTrust, trustOf } from './address.ts'
import { messageOf, RpcFailure } from './failure.ts'

/** The page believes nothing where its address names a trusted block: what can be proven then is, or it is an error. */

/** Where the node answers: what the address names, or below the page, so that a prefix or an API key in the path is kept. */
export const endpoint = (): URL =>
  new URL(endpointsOf(location.search)[0] ?? './', location.href.split(/[?#]/, 1)[0])

/** The trusted block as the address has it; undefined: the page believes its endpoint. */
export const trustText = (): string | undefined => trustOf(location.search)

/** The newest block that is proven. */
export const provenHead = createStore<LightHead | undefined>(undefined)
/** Why nothing can be proven now. */
export const proofProblem = createStore<string | undefined>(undefined)
/** What endpoints said that is proven wrong. */
export const lies = createStore<readonly string[]>([])

const maxLies = 20

interface Light {
  readonly provider: LightProvider
  readonly methods: ReadonlySet<string>
}

let opened: Promise<Light> | undefined

const open = async (text: string): Promise<Light> => {
  const trust = parseTrust(text)
  if (trust === undefined) throw new Error(texts.proof.trustWanted)
  const { createLightProvider, provenMethods } = await import('perihelion/light')
  const named = endpointsOf(location.search)
  const key = `light:${trust.height}:${trust.hash.toLowerCase()}`
  const provider = createLightProvider({
    urls: named.length > 0 ? named : [endpoint().href],
    trust,
    store: { load: () => keptText(key), save: (kept) => keepText(key, kept) },
  })
  provider.on('lie', ({ endpoint: name, problem }) =>
    lies.set([...lies.get(), `${name}: ${problem}`].slice(-maxLies)),
  )
  return { provider, methods: new Set(provenMethods) }
}

const light = (text: string): Promise<Light> => (opened ??= open(text))

/** Asks for the newest proven block, for those that follow the chain. */
export const readProvenHead = async (text: string): Promise<LightHead> => {
  try {
    const found = await (await light(text)).provider.head()
    if (found.number !== provenHead.get()?.number) provenHead.set(found)
    proofProblem.set(undefined)
    return found
  } catch (error) {
    proofProblem.set(messageOf(error))
    throw error
  }
}

/** Calls a method and proves its result; `undefined` if nothing can prove the method, so that the page must believe the endpoint. */
export const prove = async (
  text: string,
  method: string,
  params: readonly unknown[],
): Promise<{ readonly result: unknown } | undefined> => {
  try {
    const { provider, methods } = await light(text)
    return methods.has(method) ? { result: await provider.request({ method, params }) } : undefined
  } catch (error) {
    const { code, data } = error as { readonly code?: number; readonly data?: unknown }
    throw new RpcFailure(method, messageOf(error), { ...(code !== undefined && { code }), data })
  }
}
