import { join } from 'node:path'
import { noEngine } from '../../src/engine/none/engine.ts'
import type { NodeOptions } from '../../src/node/node.ts'

/** A node that makes no blocks, with a dev genesis of its own; tests change what they are about. */
export const nodeOptions = (
  folder: string,
  accounts: readonly { readonly address: Uint8Array; readonly balance: bigint }[],
): NodeOptions => ({
  dataFolder: folder,
  genesis: {
    kind: 'dev',
    options: {
      chainId: 31_337n,
      accounts,
      coinbase: new Uint8Array(20).fill(0xcb),
      timestamp: 1_700_000_000n,
      fork: 'osaka',
    },
  },
  pruning: 'archive',
  engine: noEngine,
  appearances: true,
  coinbase: new Uint8Array(20).fill(0xcb),
  minimumGasPrice: 0n,
  // More than a second's work, however fast the machine is.
  gasCap: 5_000_000_000n,
  inline: { gas: 500_000n, milliseconds: 1000 },
  workers: { workers: 1, maxWaiting: 1, memoryMegabytes: 256, timeoutMs: 1000, graceMs: 2000 },
  traceWorkers: { workers: 1, maxWaiting: 10, memoryMegabytes: 128, timeoutMs: 5000, graceMs: 1000 },
  traces: {
    timeoutMs: 5000,
    maxBytes: 1_000_000,
    memoryBytes: 1_000_000,
    spoolFolder: join(folder, 'tmp'),
    folder: join(folder, 'traces'),
  },
  feeHistoryCap: 4,
})
