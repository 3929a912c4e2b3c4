import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { buildShim } from '../state/disk/shim.ts'
import { eventually } from '../support/eventually.ts'
import { isolatedFlags, runProgram } from '../support/program.ts'
import { slow } from '../support/slow.ts'

const folder = mkdtempSync(join(tmpdir(), 'perihelion-commit-'))
const shim = buildShim(folder)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Answer {
  readonly result?: string
  readonly error?: { readonly code: number; readonly message: string }
}

const callerOf =
  (http: string) =>
  async (method: string, ...params: readonly unknown[]): Promise<Answer> => {
    const response = await fetch(http, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    return (await response.json()) as Answer
  }

const isIncluded = (call: ReturnType<typeof callerOf>, hash: string): Promise<void> =>
  eventually(async () => {
    const { result } = await call('eth_getTransactionReceipt', hash)
    return (result as { transactionHash?: string } | null | undefined)?.transactionHash === hash
  })

describe.skipIf('reason' in shim)(`a commit that fails${'reason' in shim ? `: ${shim.reason}` : ''}`, () => {
  test('the chain is opened again and goes on; the second time is the end, in one line', slow, async () => {
    const trigger = join(folder, 'trigger')
    const program = runProgram(['start', ...isolatedFlags(join(folder, 'home')), '--log.level=info'], {
      LD_PRELOAD: 'path' in shim ? shim.path : '',
      SHIM_FILE: 'chain.mdb',
      SHIM_TRIGGER: trigger,
    })
    try {
      const { http = '' } = await program.ready()
      const call = callerOf(http)
      const [from = '', to = ''] = ((await call('eth_accounts')).result ?? []) as unknown as readonly string[]
      const send = (): Promise<Answer> => call('eth_sendTransaction', { from, to, value: '0x1' })
      const acknowledged: string[] = []
      for (let i = 0; i < 3; i++) acknowledged.push((await send()).result ?? '')
      // The pool has it: the failed block takes nothing away.
      writeFileSync(trigger, '')
      acknowledged.push((await send()).result ?? '')
      await eventually(() => program.stderr().includes('the chain is open again'))
      for (const hash of acknowledged) await isIncluded(call, hash)
      expect((await send()).result).toMatch(/^0x/)
      writeFileSync(trigger, '')
      const last = await send().catch((): Answer => ({}))
      expect(await program.ended()).toBe(74)
      const fatal = program
        .stderr()
        .split('\n')
        .filter((line) => line.includes('stopping the node'))
      expect(fatal).toEqual([expect.stringContaining('for the second time')])
      expect(program.stderr()).not.toMatch(/^\s+at /m)
      const again = runProgram(['start', ...isolatedFlags(join(folder, 'home'))])
      try {
        const restarted = callerOf((await again.ready()).http ?? '')
        if (last.result !== undefined) acknowledged.push(last.result)
        for (const hash of acknowledged) await isIncluded(restarted, hash)
      } finally {
        again.child.kill('SIGKILL')
        await again.ended()
      }
    } finally {
      program.child.kill('SIGKILL')
      await program.ended()
    }
  })

  test('what happens is shown after a reopening too', slow, async () => {
    const trigger = join(folder, 'trigger-of-text')
    const program = runProgram(['start', ...isolatedFlags(join(folder, 'text')), '--log.format=text'], {
      LD_PRELOAD: 'path' in shim ? shim.path : '',
      SHIM_FILE: 'chain.mdb',
      SHIM_TRIGGER: trigger,
    })
    try {
      const { http = '' } = await program.ready()
      const call = callerOf(http)
      const [from = '', to = ''] = ((await call('eth_accounts')).result ?? []) as unknown as readonly string[]
      const send = (): Promise<Answer> => call('eth_sendTransaction', { from, to, value: '0x1' })
      const isShown = async ({ result = 'no hash' }: Answer): Promise<void> =>
        eventually(() => program.stderr().includes(result))
      await isShown(await send())
      writeFileSync(trigger, '')
      await send().catch(() => {})
      await eventually(() => program.stderr().includes('the chain is open again'))
      await isShown(await send())
      program.child.kill('SIGTERM')
      expect(await program.ended()).toBe(0)
    } finally {
      program.child.kill('SIGKILL')
      await program.ended()
    }
  })
})
