import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dataFile } from '../../../src/home/layout.ts'
import { startNodeAt } from '../../support/node.ts'
import { Traffic } from '../../support/traffic/traffic.ts'
import { createRpc } from '../../support/verifier/rpc.ts'

export interface SampleOptions {
  readonly seed: number
  readonly transactions: number
  readonly pruning: 'archive' | 'everything'
}

/** Returns the data file of a node after mixed traffic: contracts, logs, slots that come and go, transactions of all types. */
export const createSample = async ({ seed, transactions, pruning }: SampleOptions): Promise<Buffer> => {
  const home = mkdtempSync(join(tmpdir(), 'perihelion-sample-'))
  try {
    const node = await startNodeAt(home, `--pruning=${pruning}`)
    try {
      const traffic = new Traffic(createRpc(node.http), seed, 5)
      await traffic.setUp()
      for (let sent = 0; sent < transactions; sent++) await traffic.send()
    } finally {
      await node.close()
    }
    return readFileSync(dataFile(home))
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}
