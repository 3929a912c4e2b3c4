import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { heavy, setUp } from '../support/chain/accounts.ts'
import { compileToken } from '../support/chain/contracts.ts'
import { contracts } from '../support/chain/plan.ts'
import { waitForReceipt } from '../support/chain/receipts.ts'
import { encodeCall, signCall } from '../support/chain/signing.ts'
import { call, connect } from '../support/load/connection.ts'
import { ownLibrary } from '../support/peers/ownProgram.ts'
import { startNode } from '../support/peers/runningNode.ts'
import type { Measured, Side } from '../support/run/part.ts'
import { endedChildrenCpuMs } from '../support/run/processTree.ts'
import { definePart } from '../support/run/runPart.ts'
import { devPeers, ephemeralFlags } from './devClient.ts'

const program = fileURLToPath(new URL('suite.mjs', import.meta.url))

/** What a test does: creates a token, sends some of it, and looks whether it came. */
const transactions = () => [
  signCall(setUp, 0, { gasLimit: 2_000_000n, to: undefined, data: `0x${compileToken().bytecode.object}` }),
  signCall(setUp, 1, {
    gasLimit: 100_000n,
    to: contracts.token,
    data: encodeCall('transfer(address,uint256)', heavy.address, 7),
  }),
]
const question = { to: contracts.token, data: encodeCall('balanceOf(address)', heavy.address) }

interface DevStage {
  /** Runs the tests one after the other. */
  run(tests: number): Promise<void>
}

/** All tests in one process, as a test runner has them, with a node of the library for each. */
const inProcess: Side<DevStage> = {
  name: 'perihelion, in process',
  kind: 'ours',
  open: async () => {
    const raws = transactions().map(({ raw }) => raw)
    const run = async (tests: number): Promise<void> => {
      await promisify(execFile)(process.execPath, [
        ...[program, ownLibrary(), String(tests), JSON.stringify({ raws, question })],
      ])
    }
    return { stage: { run }, close: async () => {} }
  },
}

/** A process for each test. */
const spawned = (name: string): Side<DevStage> => ({
  name: `${name}, spawned`,
  kind: name === 'perihelion' ? 'ours' : 'peer',
  open: async () => {
    const signed = transactions()
    const runOne = async (): Promise<void> => {
      const node = await startNode(name, { pollMs: 4, flags: name === 'perihelion' ? ephemeralFlags : [] })
      const connection = await connect(node.port)
      for (const { raw, hash } of signed) {
        await call(connection, 'eth_sendRawTransaction', raw)
        await waitForReceipt(connection, hash)
      }
      const balance = await call<string>(connection, 'eth_call', question, 'latest')
      if (BigInt(balance) !== 7n) throw new Error(`a test saw ${balance}`)
      connection.close()
      await node.stop()
    }
    const run = async (tests: number): Promise<void> => {
      for (let test = 0; test < tests; test++) await runOne()
    }
    return { stage: { run }, close: async () => {} }
  },
})

const measureSuite = async ({ run }: DevStage, tests: number): Promise<Measured> => {
  const cpu = endedChildrenCpuMs()
  const start = performance.now()
  await run(tests)
  const ms = (performance.now() - start) / tests
  return { figures: { ms, cpuMs: (endedChildrenCpuMs() - cpu) / tests } }
}

/** Tests with a chain of their own. */
export const part = definePart<DevStage>({
  sides: ({ peers }) => [inProcess, spawned('perihelion'), ...devPeers(peers).map(spawned)],
  rows: ({ isQuick }) => {
    const tests = isQuick ? 2 : 100
    return [
      {
        name: `${tests} tests, a node for each`,
        unit: 'test',
        by: 'ms',
        measure: (stage) => measureSuite(stage, tests),
      },
    ]
  },
})
