import { rmSync } from 'node:fs'
import { type Hex, hashTypedData, recoverAddress, recoverMessageAddress } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { typedDataV1Hash } from '../../src/chain/signing/typedDataV1.ts'
import type { Service } from '../../src/service/start/startService.ts'
import { postJson } from '../support/clients.ts'
import { startTestService } from '../support/service.ts'
import { temporaryHome } from '../support/testServer.ts'

/** What the dev profile lets callers of this machine do with its accounts, as a wallet would. */

const alice = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const message = '0xdeadbeaf'
const typedData = {
  types: {
    Person: [{ name: 'name', type: 'string' }],
    Mail: [
      { name: 'from', type: 'Person' },
      { name: 'amount', type: 'uint256' },
    ],
  },
  primaryType: 'Mail',
  domain: { name: 'Mail', version: '1', chainId: 31_337 },
  message: { from: { name: 'Al' }, amount: 5 },
} as const
const withArray = {
  types: { List: [{ name: 'items', type: 'uint8[]' }] },
  primaryType: 'List',
  domain: {},
  message: { items: [1, 2] },
}
const named = [{ type: 'string', name: 'message', value: 'Hi, Alice!' }]

interface Opened {
  readonly service: Service
  call(method: string, ...params: readonly unknown[]): Promise<unknown>
  remote(method: string, ...params: readonly unknown[]): Promise<unknown>
  close(): Promise<void>
}

const open = async (...flags: readonly string[]): Promise<Opened> => {
  const home = temporaryHome()
  const service = await startTestService(home, { flags: ['--lightkdf', ...flags] })
  const send = async (method: string, params: readonly unknown[], headers: Record<string, string>) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const { result, error } = JSON.parse(await postJson(service.urls().http ?? '', body, headers)) as {
      result?: unknown
      error?: { code: number }
    }
    return error?.code ?? result
  }
  return {
    service,
    call: (method, ...params) => send(method, params, {}),
    remote: (method, ...params) => send(method, params, { 'X-Forwarded-For': '203.0.113.7' }),
    close: async () => {
      await service.close()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

describe('in the dev profile', () => {
  let node: Opened
  beforeAll(async () => {
    node = await open()
  })
  afterAll(() => node.close())

  test.each([[[]], [['']], [['a passphrase that nobody needs']]])(
    'personal_sign signs with an unlocked account, passphrase %j',
    async (passphrase) => {
      const signature = (await node.call('personal_sign', message, alice, ...passphrase)) as Hex
      const signer = await recoverMessageAddress({ message: { raw: message }, signature })
      expect(signer.toLowerCase()).toBe(alice)
    },
  )

  test('personal_sign opens no locked key for a caller without a token', async () => {
    const { keystore } = node.service.served.keys
    const account = `0x${Buffer.from(await keystore.create('p')).toString('hex')}`
    expect(await node.call('personal_sign', message, account, 'p')).toBe(-32_000)
    expect(await node.call('personal_listAccounts')).toBe(4100)
  })

  test.each([
    ['eth_signTypedData', typedData],
    ['eth_signTypedData', JSON.stringify(typedData)],
    ['eth_signTypedData_v3', typedData],
    ['eth_signTypedData_v4', typedData],
    ['eth_signTypedData', withArray],
    ['eth_signTypedData_v4', withArray],
  ])('%s signs', async (method, given) => {
    const signature = (await node.call(method, alice, given)) as Hex
    const data = typeof given === 'string' ? typedData : given
    const signer = await recoverAddress({ hash: hashTypedData(data as never), signature })
    expect(signer.toLowerCase()).toBe(alice)
  })

  test('eth_signTypedData signs a list of named values', async () => {
    const signature = (await node.call('eth_signTypedData', named, alice)) as Hex
    const hash: Hex = `0x${Buffer.from(typedDataV1Hash(named)).toString('hex')}`
    expect((await recoverAddress({ hash, signature })).toLowerCase()).toBe(alice)
  })

  test.each([
    ['eth_signTypedData_v3', alice, withArray],
    ['eth_signTypedData', alice, alice],
    ['eth_signTypedData', named, typedData],
    ['eth_signTypedData', [{ type: 'uint8', name: 'a', value: 256 }], alice],
  ])('%s does not take %j, %j', async (method, first, second) => {
    expect(await node.call(method, first, second)).toBe(-32_602)
  })

  test('eth_requestAccounts lists the accounts', async () => {
    expect(await node.call('eth_requestAccounts')).toEqual(await node.call('eth_accounts'))
  })

  test('others need a token', async () => {
    for (const [method, ...params] of [
      ['personal_sign', message, alice],
      ['eth_signTypedData', alice, typedData],
      ['eth_signTypedData_v3', alice, typedData],
      ['eth_requestAccounts'],
    ] as const)
      expect(await node.remote(method, ...params)).toBe(4100)
  })

  test('the node has a name that test helpers know', async () => {
    expect(await node.call('web3_clientVersion')).toMatch(/^anvil-perihelion\/v/)
  })
})

test('outside of it there is none of this', async () => {
  const node = await open('--dev=false', '--json-rpc.api=eth,personal,web3')
  try {
    expect(await node.call('personal_sign', message, alice)).toBe(4100)
    expect(await node.call('eth_signTypedData', alice, typedData)).toBe(-32_601)
    expect(await node.call('eth_signTypedData_v3', alice, typedData)).toBe(-32_601)
    expect(await node.call('eth_requestAccounts')).toBe(-32_601)
    expect(await node.call('web3_clientVersion')).toMatch(/^perihelion\/v/)
  } finally {
    await node.close()
  }
})
