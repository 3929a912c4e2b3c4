import { createRequire } from 'node:module'
import type { TestNode } from '../support/node.ts'
import type { Compiled } from './compile.ts'
import type { CaseNode, Stack } from './runCases.ts'

interface StackTraceJson {
  readonly frames: readonly { contract?: string; function?: string; line?: number }[]
}

const describe = (contract: string | undefined, name: string | undefined, line: number | undefined): string =>
  `${[contract, name].filter((part) => part !== undefined).join('.') || '?'}:${line ?? '?'}`

/** A node of this program that knows the contracts. */
export const perihelionNode = async (
  node: TestNode,
  { version, input, output }: Compiled,
): Promise<CaseNode> => {
  await node.call('hardhat_addCompilationResult', version, input, output)
  return {
    call: (method, params) => node.call(method, ...params),
    failing: async (transaction) => {
      const hash = await node.call<string>('eth_sendTransaction', transaction)
      const trace = await node.call<StackTraceJson | null>('perihelion_stackTrace', hash)
      return (trace?.frames ?? []).map((frame) => describe(frame.contract, frame.function, frame.line))
    },
  }
}

interface HardhatEntry {
  readonly sourceReference?: { readonly contract?: string; readonly function?: string; readonly line: number }
}

interface HardhatProvider {
  request(call: { method: string; params: readonly unknown[] }): Promise<unknown>
  readonly _provider: {
    handleRequest(
      request: string,
    ): Promise<{ stackTrace(): { entries?: HardhatEntry[] } | HardhatEntry[] | null }>
  }
}

/** Hardhat's own network in this process, from a folder in which it is installed. */
export const hardhatNode = async (
  folder: string,
  { version, input, output }: Compiled,
): Promise<CaseNode> => {
  const require = createRequire(`${folder}/package.json`)
  const { createProvider } = require('hardhat/internal/core/providers/construction.js')
  const { resolveConfig } = require('hardhat/internal/core/config/config-resolution.js')
  const config = resolveConfig(`${folder}/hardhat.config.js`, { solidity: '0.8.28' })
  config.networks.hardhat.throwOnTransactionFailures = true
  const outer = await createProvider(config, 'hardhat')
  await outer.request({ method: 'eth_chainId', params: [] })
  let provider = outer
  while (provider._provider === undefined || provider._provider.handleRequest === undefined)
    provider = provider._wrappedProvider ?? provider._wrapped ?? provider._provider ?? provider.provider
  const inner = provider as HardhatProvider
  const native = inner._provider
  let last: Stack = []
  const handle = native.handleRequest.bind(native)
  native.handleRequest = async (request) => {
    const response = await handle(request)
    const trace = response.stackTrace()
    const entries = Array.isArray(trace) ? trace : (trace?.entries ?? [])
    last = entries
      .map(({ sourceReference }) =>
        describe(sourceReference?.contract, sourceReference?.function, sourceReference?.line),
      )
      .toReversed()
    return response
  }
  await inner.request({
    method: 'hardhat_addCompilationResult',
    params: [version.replace(/\+.*/, ''), input, output],
  })
  return {
    call: (method, params) => inner.request({ method, params }) as never,
    failing: async (transaction) => {
      last = []
      await inner.request({ method: 'eth_sendTransaction', params: [transaction] }).catch(() => undefined)
      return last
    },
  }
}
