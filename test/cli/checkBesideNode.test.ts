import { rmSync } from 'node:fs'
import { afterAll, expect, test } from 'vitest'
import { postJson } from '../support/clients.ts'
import { isolatedFlags, runProgram } from '../support/program.ts'
import { toCallJson } from '../support/rpc/calls.ts'
import { slow } from '../support/slow.ts'
import { temporaryHome } from '../support/testServer.ts'

const home = temporaryHome()
afterAll(() => rmSync(home, { recursive: true, force: true }))

test(
  'the check of a home finds nothing while a node writes to it, and the node does not notice',
  slow,
  async () => {
    const node = runProgram(['start', ...isolatedFlags(home), '--block-time=20ms', '--pruning=everything'])
    try {
      const { http = '' } = await node.ready()
      const call = async <T>(method: string, params: readonly unknown[] = []): Promise<T> =>
        JSON.parse(await postJson(http, toCallJson(method, params))).result as T
      const accounts = await call<readonly string[]>('eth_accounts')
      let isOver = false
      const sending = (async () => {
        for (let sent = 0; !isOver; sent++) {
          const [from, to] = [accounts[sent % 5], accounts[5 + (sent % 5)]]
          await call('eth_sendTransaction', [
            { from, to, value: '0x1', data: `0x${'ab'.repeat(sent % 2000)}` },
          ])
        }
      })()
      const before = Number(await call<string>('eth_blockNumber'))
      try {
        for (let round = 0; round < 4; round++) {
          const check = runProgram(['db', 'check', '--home', home])
          expect([await check.ended(), check.stdout().trim().split('\n').at(-1), check.stderr()]).toEqual([
            0,
            'ok',
            '',
          ])
        }
      } finally {
        isOver = true
        await sending
      }
      expect(Number(await call<string>('eth_blockNumber'))).toBeGreaterThan(before)
      node.child.kill('SIGTERM')
      expect(await node.ended()).toBe(0)
    } finally {
      node.child.kill('SIGKILL')
      await node.ended()
    }
  },
)
