import { join } from 'node:path'
import type { Config } from '../../config/settings/settings.ts'
import { readEngineConfig } from '../../engine/cometbft/process/readConfig.ts'
import { EngineRpcClient } from '../../engine/cometbft/rpcClient.ts'

/** CometBFT's flag of a validator whose vote is missing. */
const absent = 1

/**
 * Asks the CometBFT of a node on this computer who voted on blocks. Returns the addresses in CometBFT's form by height; heights
 * that it does not answer for are left out.
 */
export const readBlockVotes = async (
  { home, abciAddress, engineRpc }: Pick<Config, 'home' | 'abciAddress' | 'engineRpc'>,
  heights: readonly number[],
): Promise<ReadonlyMap<number, readonly string[]>> => {
  const rpc = new EngineRpcClient(
    abciAddress === undefined ? readEngineConfig(join(home, 'engine')).rpcUrl : engineRpc,
  )
  try {
    const commits = await Promise.all(heights.map((height) => rpc.commit(height).catch(() => undefined)))
    return new Map(
      commits.flatMap((found, index) => {
        if (found === undefined) return []
        const voted = found.commit.signatures.filter(({ flag }) => flag !== absent)
        return [[heights[index] as number, voted.map(({ address }) => toAddress(address))] as const]
      }),
    )
  } finally {
    rpc.close()
  }
}

const toAddress = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex').toUpperCase()
