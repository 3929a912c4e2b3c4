import { describe, expect, test } from 'vitest'
import { toBigInt } from '../../base/encoding/bytes.ts'
import { fromHex, toHex } from '../../base/encoding/hex.ts'
import { type Fork, since } from '../config/forks.ts'
import { GenesisError } from '../config/gethJson.ts'
import { systemContracts } from '../config/systemContracts.ts'
import { contractAddress } from '../transaction/contractAddress.ts'
import { decodeTransaction } from '../transaction/decode.ts'
import { recoverSender } from '../transaction/signature.ts'
import { createDevGenesis } from './devGenesis.ts'
import { parseGenesis } from './genesis.ts'

const root = new Uint8Array(32).fill(1)

describe("geth's genesis", () => {
  const parse = (members: object) => parseGenesis(JSON.stringify({ config: { chainId: 7 }, ...members }))

  test('balances and nonces come in decimal or hex, storage with or without padding', () => {
    const { changes } = parse({
      alloc: {
        '0x0000000000000000000000000000000000000001': { balance: '1000', nonce: '0x2' },
        '0000000000000000000000000000000000000002': { balance: '0x3e8', nonce: 3, code: '0x6001' },
        '0000000000000000000000000000000000000003': { storage: { '0x01': '0x02', '0x03': '0x00' } },
        '0000000000000000000000000000000000000004': { balance: 5 },
      },
    })
    const [first, second, third, fourth] = changes.accounts
    expect(first?.account).toMatchObject({ balance: 1000n, nonce: 2n })
    expect(second?.account).toMatchObject({ balance: 1000n, nonce: 3n })
    expect(changes.code.map(([, code]) => toHex(code))).toEqual(['0x6001'])
    expect(second?.account?.codeHash).toEqual(changes.code[0]?.[0])
    expect(third?.storage.map((pair) => pair.map(toBigInt))).toEqual([[1n, 2n]])
    expect(third?.account).toMatchObject({ balance: 0n, nonce: 0n })
    expect(fourth?.account?.balance).toBe(5n)
  })

  test('integers that a number cannot hold stay exact', () => {
    const text = `{"config": {"chainId": 7}, "alloc": {"${'0'.repeat(39)}1": {"balance": 123456789012345678901234567890}}}`
    expect(parseGenesis(text).changes.accounts[0]?.account?.balance).toBe(
      123_456_789_012_345_678_901_234_567_890n,
    )
  })

  test('what is missing has the defaults of geth', () => {
    expect(parse({}).header(root)).toMatchObject({
      gasLimit: 4_712_388n,
      difficulty: 0n,
      timestamp: 0n,
      nonce: new Uint8Array(8),
      stateRoot: root,
    })
    expect(parse({ config: { chainId: 7, ethash: {} } }).header(root).difficulty).toBe(131_072n)
    const london = parse({ config: { ...upTo('london'), chainId: 7 } }).header(root)
    expect(london).toMatchObject({ baseFeePerGas: 1_000_000_000n })
    expect(london.withdrawalsRoot).toBeUndefined()
    const osaka = parse({
      config: { ...upTo('osaka'), chainId: 7 },
      baseFeePerGas: '0x7',
      excessBlobGas: '0x20000',
      nonce: '0x42',
    }).header(root)
    expect(osaka).toMatchObject({ baseFeePerGas: 7n, excessBlobGas: 131_072n, blobGasUsed: 0n })
    expect(osaka.nonce).toEqual(Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0x42))
  })

  const upTo = (fork: Fork) =>
    createDevGenesis({ chainId: 7n, accounts: [], coinbase: new Uint8Array(20), timestamp: 0n, fork }).config
      .source

  test.each([
    ['{', 'not JSON'],
    ['[]', 'the genesis is not an object'],
    ['{}', 'config is not an object'],
    ['{"config":{"chainId":1},"alloc":{"0x12":{}}}', 'address 0x12 has 1 bytes instead of 20'],
    ['{"config":{"chainId":1},"gasLimit":"x"}', 'gasLimit is not an integer'],
    ['{"config":{"chainId":1},"gasLimit":-5}', 'gasLimit is negative: -5'],
    ['{"config":{"chainId":1},"gasLimit":"0x0"}', 'gasLimit is zero'],
    ['{"config":{"chainId":1},"gasLimit":1,"gasLimit":2}', 'gasLimit is given twice'],
    ['{"config":{"chainId":1,"chainId":2}}', 'config.chainId is given twice'],
    ['{"config":{"chainId":0}}', 'config.chainId is 0: wanted 1 to'],
    ['{"config":{"chainId":18446744073709551616}}', 'config.chainId is 18446744073709551616'],
    ['{"config":{"chainId":1},"gasLimitt":1}', 'gasLimitt is not known: did you mean gasLimit?'],
    ['{"config":{"chainId":1},"gaslimit":1}', 'gaslimit is not known: did you mean gasLimit?'],
    ['{"config":{"chainId":1,"pragueTme":1}}', 'config.pragueTme is not known: did you mean pragueTime?'],
    ['{"config":{"chainId":1,"chianId":2}}', 'config.chianId is not known: did you mean chainId?'],
    ['{"config":{"chainId":1,"perihelion":{"admn":1}}}', 'did you mean admin?'],
    [`{"config":{"chainId":1},"alloc":{"${'1'.repeat(40)}":{"balnce":"1"}}}`, 'did you mean balance?'],
    [
      '{"config":{"chainId":1,"blobSchedule":{"bpo1":{"target":5,"max":4,"baseFeeUpdateFraction":1}}}}',
      'config.blobSchedule.bpo1 has max 4, which is below target 5',
    ],
    ['{"config":{"chainId":1},"number":"0x5"}', 'the first block has number 5'],
    ['{"config":{"chainId":1},"extraData":"0x123"}', 'extraData is not hex'],
    [`{"config":{"chainId":1},"alloc":{"0x${'1'.repeat(40)}":{},"${'1'.repeat(40)}":{}}}`, 'twice'],
  ])('%s is rejected', (text, message) => {
    expect(() => parseGenesis(text)).toThrow(GenesisError)
    expect(() => parseGenesis(text)).toThrow(message)
  })
})

test('a genesis may have members that nobody knows, and values of any length', () => {
  const code = '0x'.padEnd(20_000_000, 'ab')
  const account = { code, comment: 'large' }
  const text = JSON.stringify({
    config: { chainId: 1, comment: 'x', lineaMode: true },
    note: '',
    alloc: { [`0x${'1'.repeat(40)}`]: account },
  })
  expect(parseGenesis(text).changes.code[0]?.[1].length).toBe(9_999_999)
})

test('an error names the file', () => {
  expect(() => parseGenesis('{', 'my.json')).toThrow(/^my\.json: the genesis is not JSON/)
  expect(() => parseGenesis('{"config":{}}', 'my.json')).toThrow('my.json: config has no chainId')
})

describe('the dev genesis', () => {
  test('has the contracts that its fork gives a purpose', () => {
    for (const fork of ['byzantium', 'london', 'cancun', 'osaka'] as const) {
      const { changes } = createDevGenesis({
        chainId: 7n,
        accounts: [],
        coinbase: new Uint8Array(20),
        timestamp: 0n,
        fork,
      })
      const expected = Object.values(systemContracts).filter((contract) => since(fork, contract.since))
      expect(changes.accounts.map(({ address }) => address)).toEqual(expected.map(({ address }) => address))
      expect(changes.accounts.every(({ account }) => account?.nonce === 1n)).toBe(true)
    }
  })

  test('the deployer stands where its transaction, signed by nobody, creates it', () => {
    const runtime = toHex(systemContracts.create2Deployer.code).slice(2)
    const raw = `0xf8a58085174876e800830186a08080b853604580600e600039806000f350fe${runtime}1ba0${'22'.repeat(32)}a0${'22'.repeat(32)}`
    const sender = recoverSender(decodeTransaction(fromHex(raw)), 'homestead') as Uint8Array
    expect(toHex(contractAddress(sender, 0n))).toBe(toHex(systemContracts.create2Deployer.address))
  })
})
