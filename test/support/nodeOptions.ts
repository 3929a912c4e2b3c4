import { join } from 'node:path'
import { noEngine } from '../../src/engine/none/engine.ts'
import type { NodeOptions } from '../../src/node/opening/nodeOptions.ts'

/** Returns the options of a node that produces no blocks, with a dev genesis; tests change what they need. */
export const nodeOptions = (
  folder: string,
  accounts: readonly { readonly address: Uint8Array; readonly balance: bigint }[],
): NodeOptions => ({
  dataFolder: folder,
  isEphemeral: true,
  minFreeBytes: 0,
  onCommitFailed: () => {},
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
  // More work than any machine does in a second.
  jsonRpc: {
    gasCap: 5_000_000_000n,
    inlineGas: 500_000n,
    callWorkers: 1,
    callQueue: 1,
    queueTimeout: 60_000,
    traceQueue: 100,
    callMemory: 256_000_000,
    evmTimeout: 1000,
    traceWorkers: 1,
    traceTimeout: 5000,
    traceMaxSize: 1_000_000,
    traceSpool: 100_000_000,
    traceMemory: 128_000_000,
    feehistoryCap: 4,
    inlineTime: 1000,
    workerGrace: 2000,
  },
  traceFolders: { spoolFolder: join(folder, 'tmp'), folder: join(folder, 'traces') },
})
