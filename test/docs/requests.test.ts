import { rmSync } from 'node:fs'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sendHttp } from '../support/clients.ts'
import { isolatedFlags, type Program, runProgram } from '../support/program.ts'
import { temporaryHome } from '../support/testServer.ts'
import { pages, readPage } from './markdown.ts'
import { type Ask, replays } from './replays.ts'

const account = privateKeyToAccount('0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a')

describe('what tools ask that are not run here', () => {
  const home = temporaryHome()
  let node: Program
  let http = ''
  beforeAll(async () => {
    node = runProgram(['start', ...isolatedFlags(home), '--json-rpc.cors=https://remix.ethereum.org'])
    http = (await node.ready()).http ?? ''
  })
  afterAll(async () => {
    node.child.kill('SIGKILL')
    await node.ended()
    rmSync(home, { recursive: true, force: true })
  })

  const askWith =
    (headers: Readonly<Record<string, string>>): Ask =>
    async <T>(method: string, ...params: readonly unknown[]) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const response = await sendHttp(http, {
        body,
        headers: { 'Content-Type': 'application/json', ...headers },
      })
      if (response.status !== 200) throw new Error(`${method}: ${response.status} ${response.body}`)
      const { result, error } = JSON.parse(response.body) as { result?: unknown; error?: unknown }
      if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`)
      return result as T // the replay says what it expects
    }

  test.each(Object.entries(replays))('%s', async (_, { headers = {}, run }) => {
    await run(askWith(headers), account)
  })

  test('a page of the web that nobody named is refused', async () => {
    await expect(askWith({ Origin: 'https://elsewhere.example' })('eth_chainId')).rejects.toThrow(
      'origin not allowed',
    )
  })
})

test('every page of a tool says how it was checked, and names suites that are there', () => {
  const silent = pages.filter(
    (page) => page.startsWith('docs/tools/') && !/^\*\*Checked\*\*/m.test(readPage(page)),
  )
  expect(silent).toEqual([])
  for (const name of Object.keys(replays)) expect(pages).toContain(`docs/tools/${name}.md`)
})
