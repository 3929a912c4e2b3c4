import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { buildShim } from '../../state/disk/shim.ts'
import { postJson } from '../../support/clients.ts'
import { eventually } from '../../support/eventually.ts'
import { isolatedFlags, runProgram } from '../../support/program.ts'
import { toCallJson } from '../../support/rpc/calls.ts'
import { slow } from '../../support/slow.ts'
import { temporaryHome } from '../../support/testServer.ts'
import { startReplay } from '../replay/server/server.ts'
import { SyntheticChain } from '../replay/synthetic.ts'

const folder = temporaryHome()
const shim = buildShim(folder)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.skipIf('reason' in shim)(
  `a commit of a gateway that fails${'reason' in shim ? `: ${shim.reason}` : ''}`,
  () => {
    test(
      'the gateway is closed and opened again and goes on; the second time is the end, in one line',
      slow,
      async () => {
        const chain = new SyntheticChain({ family: 'cosmos-evm-0.7', seed: 1, length: 12 })
        const replay = await startReplay({ chain })
        const trigger = join(folder, 'trigger')
        const program = runProgram(
          [
            'gateway',
            ...isolatedFlags(join(folder, 'home')),
            '--node',
            replay.url,
            '--grpc',
            replay.grpcAddress,
          ],
          { LD_PRELOAD: 'path' in shim ? shim.path : '', SHIM_FILE: 'chain.mdb', SHIM_TRIGGER: trigger },
        )
        try {
          const { http = '' } = await program.ready()
          const height = async (): Promise<string> =>
            JSON.parse(await postJson(http, toCallJson('eth_blockNumber')).catch(() => '{}')).result
          await eventually(async () => (await height()) === '0xc')
          writeFileSync(trigger, '')
          replay.grow()
          await eventually(() => program.stderr().includes('the chain is open again'))
          // Nothing is begun again in place: what the failed commit left is unknown to a store that stays open.
          expect(program.stderr()).not.toContain('begins again')
          replay.grow(2)
          await eventually(async () => (await height()) === '0xf')
          writeFileSync(trigger, '')
          replay.grow()
          expect(await program.ended()).toBe(74)
          const fatal = program
            .stderr()
            .split('\n')
            .filter((line) => line.includes('stopping the node'))
          expect(fatal).toEqual([expect.stringContaining('for the second time')])
        } finally {
          program.child.kill('SIGKILL')
          await program.ended()
          await replay.close()
        }
      },
    )
  },
)
