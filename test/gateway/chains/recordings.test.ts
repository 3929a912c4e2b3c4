import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { slow } from '../../support/slow.ts'
import { temporaryHome } from '../../support/testServer.ts'
import { type Difference, differences, toComparable } from '../evmd/differences.ts'
import { explain, serverOf } from '../evmd/explanations.ts'
import { type Replay, startReplay } from '../replay/server/server.ts'
import { type ServedGateway, serveGateway } from '../serve/servedGateway.ts'
import { RecordedFamilyChain } from './recordedChain.ts'
import { type RecordedPair, readRecording, recordingNames } from './recordingFile.ts'

/** Each recorded chain, followed from its middle on and proven, against what its own JSON-RPC said. */
describe.each(recordingNames())('%s', (name) => {
  const recording = readRecording(name)
  const chain = new RecordedFamilyChain(recording)
  const last = chain.head
  let replay: Replay
  let gateway: ServedGateway
  const home = temporaryHome()
  const readSaved = (file: string): unknown =>
    JSON.parse(readFileSync(join(home, `data/${file}.json`), 'utf8'))

  const { family, upgrade } = recording.node
  // The recording grows old.
  const serve = (told: { readonly family: string; readonly isFamilyTold?: true }) =>
    serveGateway(home, [
      `--gateway.node=${replay.url}`,
      '--gateway.trusting-period=0s',
      ...(told.isFamilyTold ? [`--gateway.family=${told.family}`] : []),
    ])
  const follow = async (height: number): Promise<void> => {
    while (chain.head < height) {
      replay.grow()
      await eventually(async () => Number(await gateway.call('eth_blockNumber')) === chain.head)
    }
  }

  beforeAll(async () => {
    chain.head = Math.floor((upgrade?.height ?? last) / 2)
    replay = await startReplay({ chain })
    gateway = await serve(upgrade ?? recording.node)
    await follow(last)
    if (upgrade === undefined) return
    // One that knows the old program follows the new one too; for states it has to be started again.
    expect(readSaved('chain-info')).toMatchObject({ family: upgrade.family })
    await gateway.close()
    gateway = await serve(recording.node)
  })
  afterAll(async () => {
    await gateway?.close()
    await replay?.close()
    rmSync(home, { recursive: true, force: true })
  })

  const findUnexplained = async (pairs: readonly RecordedPair[]): Promise<string[]> => {
    const compare = async ({ method, params, before, ...theirs }: RecordedPair): Promise<Difference[]> => {
      const ours = await gateway.ask(method, params)
      const server = serverOf(recording.node, before)
      return differences({ method, params }, toComparable(ours), toComparable(theirs)).filter(
        (difference) => explain(difference, server) === undefined,
      )
    }
    const unexplained: string[] = []
    for (let at = 0; at < pairs.length; at += 32)
      for (const found of await Promise.all(pairs.slice(at, at + 32).map(compare)))
        unexplained.push(...found.map((difference) => JSON.stringify(difference).slice(0, 500)))
    return unexplained.slice(0, 20)
  }

  test('it is recognized, and no node of it is called a liar', async () => {
    expect(gateway.running.findProblem()).toBeUndefined()
    expect(readSaved('chain-info')).toMatchObject({ family })
    // Its blocks are proven by the commits that were recorded.
    expect(readSaved('trust')).toMatchObject({
      chainId: recording.node.network,
      root: { by: 'first use' },
    })
    expect(await gateway.call('perihelion_status')).toMatchObject({ lies: [] })
  })

  // No multiple of how many questions belong to a block or a transaction, so that each kind is among them.
  test('each twenty-third answer is the chain’s own, or explained', async () => {
    expect(await findUnexplained(recording.pairs.filter((_, index) => index % 23 === 0))).toEqual([])
  })

  test('all of them are', slow, async () => {
    expect(await findUnexplained(recording.pairs)).toEqual([])
  })
})
