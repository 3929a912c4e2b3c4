import { crc32 } from 'node:zlib'
import type { ChainConfig } from './chainConfig.ts'

/** The activation of a fork: a block number before the merge, a time after it. */
interface Point {
  readonly number: bigint
  readonly time: bigint
}

const bigEndian = (value: bigint): Uint8Array => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(value)
  return bytes
}

/**
 * Returns the checksum over the genesis hash and every change of rules up to a block (EIP-2124 with
 * EIP-6122).
 */
export const forkId = (
  config: ChainConfig,
  genesisHash: Uint8Array,
  genesisTime: bigint,
  { number, time }: Point,
): Uint8Array => {
  const passed = (by: 'block' | 'time', since: bigint, until: bigint): bigint[] => {
    const points = config.activations
      .filter((activation) => activation.by === by && activation.at > since && activation.at <= until)
      .map(({ at }) => at)
    return [...new Set(points)].sort((a, b) => (a < b ? -1 : 1))
  }
  let sum = crc32(genesisHash)
  for (const at of [...passed('block', 0n, number), ...passed('time', genesisTime, time)])
    sum = crc32(bigEndian(at), sum)
  const id = Buffer.alloc(4)
  id.writeUInt32BE(sum)
  return id
}
