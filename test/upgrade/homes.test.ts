import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { describeNetwork } from '../network/describeNetwork.ts'
import { eventually } from '../support/eventually.ts'
import { isolatedFlags, type Program, runProgram } from '../support/program.ts'
import { slow } from '../support/slow.ts'
import { readAnswers, settleNetwork, unpackHome } from './oldHome.ts'

const recorded = readAnswers()
/** What the log says of an older home; the numbers are the schemas. */
const announcement = /an older version wrote this home\. The next block raises its schema from \d+ to \d+/

const call = async (url: string, method: string, params: readonly unknown[]): Promise<unknown> => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } }
  if (error !== undefined) throw new Error(`${method}: ${error.message}`)
  return result
}

const start = (args: readonly string[]): Program => {
  const program = runProgram(args)
  onTestFinished(async () => {
    program.child.kill('SIGTERM')
    await program.ended()
  })
  return program
}

/** A newer version may add members to an answer; each that the older one had must be there, and the same. */
const expectSame = (found: unknown, wanted: unknown, what: string): void => {
  if (Array.isArray(wanted)) {
    expect(found, what).toHaveLength(wanted.length)
    for (const [index, item] of wanted.entries())
      expectSame((found as unknown[])[index], item, `${what}[${index}]`)
  } else if (wanted !== null && typeof wanted === 'object') {
    for (const [key, value] of Object.entries(wanted))
      expectSame((found as Record<string, unknown> | null)?.[key], value, `${what}.${key}`)
  } else expect(found, what).toEqual(wanted)
}

const expectAnswers = async (url: string, { answers }: { answers: readonly Answer[] }): Promise<void> => {
  expect(answers.length).toBeGreaterThan(10)
  for (const { method, params, result } of answers)
    expectSame(await call(url, method, params), result, `${method}(${JSON.stringify(params)})`)
}

type Answer = (typeof recorded.dev.answers)[number]

test('a dev chain of 0.1.0: its blocks, states, pool and keys are there, and it goes on', slow, async () => {
  const home = unpackHome('dev')
  const program = start(['start', ...isolatedFlags(home)])
  const { http = '' } = await program.ready()
  await eventually(() => announcement.test(program.stderr()))
  await expectAnswers(http, recorded.dev)
  expect(readdirSync(join(home, 'keystore'))).toEqual(recorded.dev.keys)

  const accounts = (await call(http, 'eth_accounts', [])) as string[]
  const [key = ''] = recorded.dev.keys
  expect(accounts.map((account) => account.toLowerCase().slice(2))).toContain(key.split('--').at(-1))
  const [from, to] = accounts
  const before = Number(await call(http, 'eth_blockNumber', []))
  const hash = await call(http, 'eth_sendTransaction', [{ from, to, value: '0x1' }])
  await eventually(async () => (await call(http, 'eth_getTransactionReceipt', [hash])) !== null)
  const receipt = await call(http, 'eth_getTransactionReceipt', [hash])
  expect(receipt).toMatchObject({ status: '0x1', blockNumber: `0x${(before + 1).toString(16)}` })

  program.child.kill('SIGTERM')
  expect(await program.ended()).toBe(0)
  const again = start(['start', ...isolatedFlags(home)])
  const { http: later = '' } = await again.ready()
  expect(again.stderr() + again.stdout()).not.toMatch(announcement)
  expect(await call(later, 'eth_getTransactionReceipt', [hash])).toEqual(receipt)
})

describeNetwork('a network of 0.1.0', slow, () => {
  test('its validators go on with what they had, and its gateway in front of them', async () => {
    const home = unpackHome('validators')
    await settleNetwork(home)
    const network = start(['testnet', '--home', home])
    await eventually(() => network.stdout().includes('testnet ready'), 300_000).catch((error: Error) => {
      throw new Error(`${error.message}\n${network.stdout()}${network.stderr()}`)
    })
    const nodes = [...network.stdout().matchAll(/http=(\S+).* rpc=(\S+)/g)].map(
      ([, http = '', rpc = '']) => ({
        http,
        rpc,
      }),
    )
    expect(nodes).toHaveLength(3)
    const [first = { http: '', rpc: '' }] = nodes
    await expectAnswers(first.http, recorded.validators)
    const known = recorded.validators.answers.filter(({ method }) => method === 'eth_getBlockByNumber').length
    const goesOn = async (url: string) => Number(await call(url, 'eth_blockNumber', [])) > known + 1
    await eventually(() => goesOn(first.http))

    const folder = unpackHome('gateway')
    const gateway = start(['gateway', ...isolatedFlags(folder), ...nodes.map(({ rpc }) => `--node=${rpc}`)])
    const { http = '' } = await gateway.ready()
    await expectAnswers(http, recorded.gateway)
    // What it had acknowledged and no node could execute yet.
    expect(await call(http, 'eth_getTransactionByHash', [recorded.gateway.ahead])).toMatchObject({
      hash: recorded.gateway.ahead,
      blockHash: null,
    })
    await eventually(() => announcement.test(gateway.stderr()))
    await eventually(() => goesOn(http))
  })
})
