import { commonTexts } from './common.ts'
import { proofTexts } from './proof.ts'
import { toolTexts } from './tools.ts'
import { viewTexts } from './views.ts'

/** Every text that the page shows, so that it can be read and changed in one table. A test finds those that are elsewhere. */
export const texts = { ...commonTexts, ...viewTexts, ...toolTexts, proof: proofTexts } as const

/** How to turn a namespace on. */
export const enableNamespace = (namespace: string, enabled: Iterable<string>): string => {
  const wanted = [...new Set([...enabled, namespace])].filter((name) => name !== 'rpc').sort()
  return `--json-rpc.api ${wanted.join(',')}`
}

/** The name of the chain's unit. Only a chain for development says it for sure. */
export const unitName = (isDev: boolean): string => (isDev ? 'ETH' : 'coins')
