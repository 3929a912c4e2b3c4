import { busy, heavy } from '../support/chain/accounts.ts'
import type { Measured, Row } from '../support/run/part.ts'
import { definePart } from '../support/run/runPart.ts'
import { type DevClient, deployToken, devSides, expectBalance, transferToken } from './devClient.ts'

const measureTests = async (
  client: DevClient,
  tests: number,
  runTest: () => Promise<void>,
): Promise<Measured> => {
  await runTest()
  const cpu = client.cpuMs()
  const start = performance.now()
  for (let test = 0; test < tests; test++) await runTest()
  const ms = (performance.now() - start) / tests
  return { figures: { ms, cpuMs: (client.cpuMs() - cpu) / tests } }
}

/** Each test takes a snapshot, sends one transaction, looks at what it did, and reverts. */
const measureSnapshots = async (client: DevClient, tests: number): Promise<Measured> => {
  const token = await deployToken(client)
  return measureTests(client, tests, async () => {
    const id = await client.request<string>('evm_snapshot')
    await transferToken(client, token, heavy.address, 7)
    await expectBalance(client, token, heavy.address, 7)
    if (!(await client.request<boolean>('evm_revert', id))) throw new Error('nothing was reverted')
  })
}

/**
 * A suite as Hardhat's `loadFixture` runs it: what the tests have in common is done once; before each test the node reverts
 * to the snapshot after it and takes the next one.
 */
const measureFixture = async (client: DevClient, tests: number): Promise<Measured> => {
  const tokens = [await deployToken(client), await deployToken(client)] as const
  for (const token of tokens) await transferToken(client, token, busy.address, 100)
  let snapshot = await client.request<string>('evm_snapshot')
  return measureTests(client, tests, async () => {
    if (!(await client.request<boolean>('evm_revert', snapshot))) throw new Error('nothing was reverted')
    snapshot = await client.request<string>('evm_snapshot')
    for (const token of tokens) {
      await expectBalance(client, token, heavy.address, 0)
      await transferToken(client, token, heavy.address, 5)
      await transferToken(client, token, busy.address, 5)
      await expectBalance(client, token, heavy.address, 5)
      await expectBalance(client, token, busy.address, 105)
    }
  })
}

/** Tests that share a node and begin from the same state. */
export const part = definePart<DevClient>({
  sides: ({ peers }) => devSides(peers),
  rows: ({ isQuick }): readonly Row<DevClient>[] => {
    const tests = isQuick ? 20 : 500
    return [
      {
        name: `${tests} tests: snapshot, a transaction, revert`,
        unit: 'test',
        by: 'ms',
        measure: (client) => measureSnapshots(client, tests),
      },
      {
        name: `${tests} tests with loadFixture, four transactions each`,
        unit: 'test',
        by: 'ms',
        measure: (client) => measureFixture(client, tests),
      },
    ]
  },
})
