import { equalBytes } from '../../base/encoding/bytes.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { parseBlock } from '../../comet/data/parseBlock.ts'
import type { Config } from '../../config/settings/settings.ts'
import type { ChainInfo } from '../../cosmos/chainInfo.ts'
import { createThreadLog } from '../../gateway/follow/threadLog.ts'
import { toOverrides, toTrustOptions } from '../../gateway/gatewayOptions.ts'
import { identifyChain } from '../../gateway/identity/identifyChain.ts'
import { assertStoredChain } from '../../gateway/identity/storeIdentity.ts'
import { mayBeThere } from '../../gateway/trust/agreement.ts'
import { maxStatusLag } from '../../gateway/upstreams/choice/order.ts'
import { toUpstreamAddresses } from '../../gateway/upstreams/choice/upstreamAddress.ts'
import { UpstreamClient } from '../../gateway/upstreams/upstreamClient.ts'
import { dataFile } from '../../home/layout.ts'
import { toGatewayOptions } from '../start/openGateway.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

/** A chain that has just started is waited for, as by a start, but not as long. */
const timeoutMs = 20_000

const remedy = 'correct the settings, or --gateway.node, as it says'

/** Asks the nodes which chain they are of, as a start does, and compares it with the home and with the settings. */
export const checkGatewayChain = async (config: Config): Promise<readonly Finding[]> => {
  const signal = AbortSignal.timeout(timeoutMs)
  let reason = 'no node answers as a gateway asks it'
  const log = createThreadLog(({ fields }) => {
    if (typeof fields.reason === 'string') reason = fields.reason
  })
  const { nativeChainId: chainId, queryTimeout: callTimeoutMs } = config.gateway
  const upstreams = new UpstreamClient(
    { nodes: toUpstreamAddresses(config.gateway), chainId, callTimeoutMs },
    log,
  )
  try {
    const options = toGatewayOptions(config)
    const { chainInfo, height } = await identifyChain(
      config.home,
      toOverrides(options),
      { upstreams, log },
      signal,
    )
    // A start would serve what the home has, and wait.
    if (height === undefined) return [problem('chain', reason, remedy)]
    const others = upstreams
      .stats()
      .upstreams.flatMap(({ node, quarantineReason: said }) =>
        said === undefined ? [] : [problem('upstream', `${node}: ${said}`, 'name nodes of one chain')],
      )
    const text = `${chainInfo.nativeChainId}: family ${chainInfo.family}, chain id ${chainInfo.config.chainId}`
    return [
      ...others,
      ok('chain', text),
      ...(await checkStore(config.home, chainInfo)),
      ...(await checkTrustedBlock(toTrustOptions(options)?.root, { upstreams, signal })),
    ]
  } catch (error) {
    return [problem('chain', (error as Error).message, remedy)]
  } finally {
    upstreams.close()
  }
}

/** Looks whether the blocks of a home are of the chain. A file that does not open is reported with the data. */
const checkStore = async (home: string, chainInfo: ChainInfo): Promise<readonly Finding[]> => {
  try {
    await assertStoredChain(dataFile(home), chainInfo)
  } catch (error) {
    if ((error as Error).name === 'StoreError')
      return [problem('chain', (error as Error).message, 'a home is for one chain')]
  }
  return []
}

const checkTrustedBlock = async (
  root: { readonly height: number; readonly hash: Uint8Array } | undefined,
  { upstreams, signal }: { readonly upstreams: UpstreamClient; readonly signal: AbortSignal },
): Promise<readonly Finding[]> => {
  if (root === undefined) return []
  const { height } = root
  const newest = Math.max(0, ...upstreams.stats().upstreams.map(({ latestHeight = 0 }) => latestHeight))
  if (height > newest) {
    const text = `gateway.trust-height is ${height}, and the chain is at ${newest}`
    return mayBeThere(upstreams, height - maxStatusLag)
      ? [warning('trust', `${text}: a start waits for it`, 'nothing to do if the chain goes on')]
      : [problem('trust', text, 'name a block that is there')]
  }
  try {
    const { hash } = parseBlock(await upstreams.block(height, signal))
    if (equalBytes(hash, root.hash)) return [ok('trust', `block ${height} is the trusted one`)]
    return [
      problem(
        'trust',
        `block ${height} is ${toHex(hash)} at the nodes, and not gateway.trust-hash`,
        'look for the hash at others that you trust: the setting is wrong, or the nodes are',
      ),
    ]
  } catch (error) {
    const text = `block ${height} of gateway.trust-height: ${(error as Error).message}`
    return [warning('trust', text, 'a new home needs it: name a block that the nodes keep')]
  }
}
