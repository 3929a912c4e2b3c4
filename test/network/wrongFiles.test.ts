import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { freePort } from '../support/freePort.ts'
import { runToEnd } from '../support/program.ts'
import { slow } from '../support/slow.ts'
import { describeNetwork } from './describeNetwork.ts'
import { createHomes, HomeProcess, type Homes, headOf, reach } from './homeProcess.ts'

/** Homes with a file that is not of theirs: an old record of signatures, lost blocks of CometBFT, the genesis of another chain. */

describeNetwork('a node whose files do not belong together', slow, () => {
  let homes: Homes
  let home: string
  let node: HomeProcess
  beforeEach(async () => {
    homes = createHomes(1, 200)
    home = homes.homes[0] as string
    node = await new HomeProcess(home).ready()
    await reach(node, 2)
  })
  afterEach(() => homes.remove(), 60_000)

  const inEngine = (...names: readonly string[]): string => join(home, 'engine', ...names)

  test('is not started with a record of signatures that is older than its own votes', async () => {
    await node.stop()
    const path = inEngine('data', 'priv_validator_state.json')
    const old = readFileSync(path)
    const again = await new HomeProcess(home).ready()
    await reach(again, (await headOf(again)) + 3)
    // As a power cut leaves it.
    await again.kill()
    const newest = readFileSync(path)
    writeFileSync(path, old)
    const refused = new HomeProcess(home)
    expect(await refused.ended).toMatchObject({ code: 78 })
    expect(refused.errors).toContain('priv_validator_state.json is an old copy: it knows of nothing above')
    writeFileSync(path, newest)
    const restored = await new HomeProcess(home).ready()
    await reach(restored, (await headOf(restored)) + 2)
  })

  test('is not started without the blocks of CometBFT, and begins again after what the message names', async () => {
    await node.stop()
    const record = readFileSync(inEngine('data', 'priv_validator_state.json'))
    for (const name of ['blockstore.db', 'state.db'])
      rmSync(inEngine('data', name), { recursive: true, force: true })
    for (let tries = 0; tries < 2; tries++) {
      const refused = new HomeProcess(home)
      expect(await refused.ended).toMatchObject({ code: 74 })
      expect(refused.errors).toMatch(/the blocks of CometBFT are gone .*perihelion reset/)
    }
    expect(await runToEnd(['reset', '--home', home, '--yes'])).toMatchObject({ code: 0 })
    expect(readFileSync(inEngine('data', 'priv_validator_state.json'))).toEqual(record)
    await new HomeProcess(home).ready()
  })

  test.each([
    [
      'the name of another chain',
      { chainId: 77, extraData: undefined },
      'the peers are of the chain perihelion_31337-1',
    ],
    [
      'another first block',
      { chainId: undefined, extraData: '0x01' },
      'the chain of the peers begins with block 0x',
    ],
  ])(
    'ends with the genesis of another chain: %s',
    async (_, { chainId, extraData }, said) => {
      const genesis = JSON.parse(readFileSync(homes.genesis, 'utf8'))
      if (chainId !== undefined) {
        genesis.config.chainId = chainId
        // They are made from the configuration.
        for (const end of ['01', '02']) delete genesis.alloc[`0x5045524948454c494f4e${end.padStart(20, '0')}`]
      }
      if (extraData !== undefined) genesis.extraData = extraData
      const [other, path] = [join(homes.folder, 'other'), join(homes.folder, 'other.json')]
      writeFileSync(path, JSON.stringify(genesis))
      const { stdout } = await runToEnd(['network', 'id', '--home', home, '--json'])
      const { nodeId, p2p } = JSON.parse(stdout)
      const stranger = new HomeProcess(other, {
        args: [
          ...[
            '--engine=cometbft',
            '--genesis',
            path,
            '--json-rpc.address=127.0.0.1:0',
            '--json-rpc.ws-address=',
          ],
          ...['--engine-rpc', `http://127.0.0.1:${await freePort()}`],
          ...['--engine-p2p', `127.0.0.1:${await freePort()}`, '--persistent-peers', `${nodeId}@${p2p}`],
        ],
      })
      expect(await stranger.ended).toMatchObject({ code: 78 })
      expect(stranger.errors).toContain(said)
      // Whom it dialled takes no harm.
      await reach(node, (await headOf(node)) + 2)
    },
    120_000,
  )
})
