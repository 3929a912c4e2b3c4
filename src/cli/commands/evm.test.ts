import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { define } from './evm.ts'

/** What the command writes to stdout; it ends by rejecting where commander would end the process. */
const run = async (...args: string[]): Promise<string> => {
  const written: string[] = []
  const stdout = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    written.push(String(text))
    return true
  })
  const program = new Command('perihelion').exitOverride().configureOutput({ writeErr: () => undefined })
  define(program.command('evm'))
  for (const command of program.commands)
    for (const inner of [command, ...command.commands])
      inner.exitOverride().configureOutput({ writeErr: () => undefined })
  try {
    await program.parseAsync(['evm', ...args], { from: 'user' })
  } finally {
    stdout.mockRestore()
  }
  return written.join('')
}

afterEach(() => {
  process.exitCode = undefined
})

describe('perihelion evm run', () => {
  it('prints output and gas', async () => {
    // Return the call data's first word.
    const printed = await run('run', '--code', '0x5f355f5260205ff3', '--input', `0x${'00'.repeat(31)}2a`)
    expect(printed).toContain(`output:   0x${'00'.repeat(31)}2a\n`)
    expect(printed).toContain('gas used: 18\n')
    expect(printed).toMatch(/speed: {4}\d/)
  })

  it('says why code failed', async () => {
    const printed = await run('run', '--code', '0xfe', '--gas', '100')
    expect(printed).toContain('error:    invalid opcode\n')
    expect(printed).toContain('gas used: 100\n')
    expect(process.exitCode).toBe(1)
  })

  it('knows forks by both of their names', async () => {
    // PUSH0 came with Shanghai.
    expect(await run('run', '--code', '0x5f', '--fork', 'Shanghai')).not.toContain('error')
    expect(await run('run', '--code', '0x5f', '--fork', 'paris')).toContain('invalid opcode')
    expect(await run('run', '--code', '0x5f', '--fork', 'Merge')).toContain('invalid opcode')
  })

  it.each([
    ['code that is not hex', ['--code', '0xzz']],
    ['negative gas', ['--code', '0x00', '--gas', '-1']],
    ['gas beyond 63 bits', ['--code', '0x00', '--gas', '9223372036854775808']],
    ['an unknown fork', ['--code', '0x00', '--fork', 'Atlantis']],
  ])('rejects %s', async (_name, args) => {
    await expect(run('run', ...args)).rejects.toThrow('invalid')
  })
})

describe('perihelion evm statetest', () => {
  it('prints a line for each case and one at the end', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'perihelion-evm-'))
    const hash = `0x${'11'.repeat(32)}`
    const test = {
      env: {
        currentCoinbase: '0x00',
        currentGasLimit: '0x1000000',
        currentNumber: '0x1',
        currentTimestamp: '0x1',
        currentRandom: '0x0',
      },
      pre: {},
      transaction: {
        data: ['0x'],
        gasLimit: ['0x5208'],
        value: ['0x0'],
        nonce: '0x0',
        to: '0x01',
        sender: '0x02',
        gasPrice: '0x10',
      },
      post: { Cancun: [{ hash, logs: hash, indexes: { data: 0, gas: 0, value: 0 } }] },
    }
    try {
      writeFileSync(join(folder, 'a.json'), JSON.stringify({ poor: test }))
      const lines = (await run('statetest', folder, '--workers', '1')).trim().split('\n')
      expect(JSON.parse(lines[0] ?? '')).toMatchObject({
        name: 'poor',
        fork: 'Cancun',
        index: 0,
        pass: false,
      })
      expect(lines[1]).toBe('0 passed, 1 failed')
      expect(process.exitCode).toBe(1)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
