import { existsSync, readFileSync } from 'node:fs'
import { badConfig, ExitError, exitCodes } from '../../base/exit.ts'
import { writeFileAtomically } from '../../base/files/atomicFile.ts'
import type { RootLogger } from '../../base/logging/log.ts'
import type { JsonRpcSettings } from '../../config/settings/settings.ts'
import {
  createLightProvider,
  type LightHead,
  type LightProviderOptions,
  type LightStore,
} from '../../provider/index.ts'
import { startLightServer } from './lightServer.ts'

export interface LightNodeOptions
  extends Pick<LightProviderOptions, 'urls' | 'trust' | 'maxAgeMs' | 'unproven'> {
  /** Where what is trusted is kept; undefined if it is not. */
  readonly file: string | undefined
  /** What to do without a trusted block, for the error. */
  readonly howToTrust: string
}

/** A local node that proves what it answers. */
export interface LightNode {
  readonly url: string
  /** The block that was the newest at the start. */
  readonly head: LightHead
  close(): Promise<void>
}

const fileStore = (path: string): LightStore => ({
  load: () => (existsSync(path) ? readFileSync(path, 'utf8') : undefined),
  save: (text) => writeFileAtomically(path, [text], 0o600),
})

/** What an endpoint said can be as long as it likes. */
const shown = (evidence: unknown): unknown => {
  const text = JSON.stringify(evidence) ?? ''
  return text.length <= maxEvidence ? evidence : `${text.slice(0, maxEvidence)}…`
}

const maxEvidence = 20_000

/** Starts a provider over endpoints and serves it. Fails where nothing can be proven. */
export const startLightNode = async (
  { file, howToTrust, ...options }: LightNodeOptions,
  settings: JsonRpcSettings,
  log: RootLogger,
): Promise<LightNode> => {
  if (options.trust === undefined && (file === undefined || !existsSync(file)))
    throw badConfig(`no block is trusted: ${howToTrust}`)
  const store = file === undefined ? undefined : fileStore(file)
  const provider = createLightProvider({ ...options, store })
  if (options.trust === 'first-use')
    log.warn('TRUST ON FIRST USE: the first answer is believed, and everything else is proven by it')
  provider.on('lie', ({ endpoint, kind, problem, evidence }) =>
    log.error(
      { endpoint, kind, problem, evidence: shown(evidence) },
      'an endpoint lied and gets no more requests',
    ),
  )
  provider.on('unproven', ({ method, endpoint }) =>
    log.warn({ method, endpoint }, 'a response without proof'),
  )
  provider.on('error', (error) => log.warn({ reason: error.message }, 'subscribers wait for blocks'))
  const head = await provider.head().catch((error: Error) => {
    throw new ExitError(exitCodes.noUpstream, error.message)
  })
  const server = await startLightServer(settings, provider, log.component('rpc'))
  return {
    url: server.url,
    head,
    close: async () => {
      await server.close()
      await provider.close()
    },
  }
}
