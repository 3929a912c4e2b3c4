import { create, type DescMessage, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { bech32 } from '@scure/base'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { handlerOf } from '../../../../test/gateway/perihelion/inProcess.ts'
import { type SoloChain, startSoloChain } from '../../../../test/gateway/perihelion/soloChain.ts'
import { slow } from '../../../../test/support/slow.ts'
import { keccak256 } from '../../../base/crypto/crypto.ts'
import { fromHex, toHex } from '../../../base/encoding/hex.ts'
import { decodeRlp } from '../../../base/encoding/rlp.ts'
import { decodeHeader } from '../../../chain/block/header.ts'
import type { Chain } from '../../../chain/port/chain.ts'
import {
  StatusRequestSchema,
  StatusResponseSchema,
} from '../../../cosmos/gen/cosmos/base/node/v1beta1/query_pb.ts'
import * as fees from '../../../cosmos/gen/cosmos/evm/feemarket/v1/query_pb.ts'
import * as evm from '../../../cosmos/gen/cosmos/evm/vm/v1/query_pb.ts'
import {
  MsgEthereumTxResponseSchema,
  MsgEthereumTxSchema,
} from '../../../cosmos/gen/cosmos/evm/vm/v1/tx_pb.ts'
import { ExecuteRequestSchema } from '../../../cosmos/gen/perihelion/v1/query_pb.ts'
import { perihelionQueries } from '../../../cosmos/queries/perihelionQueries.ts'
import type { QueryHandler } from './queryHandler.ts'

const evmPath = '/cosmos.evm.vm.v1.Query'

describe('queries through the engine', () => {
  let solo: SoloChain
  let chain: Chain
  let handler: QueryHandler
  let contract: string

  beforeAll(async () => {
    solo = await startSoloChain(12, { pruning: 'archive' })
    chain = solo.node.chain
    handler = handlerOf(chain)
    contract = solo.traffic.contract
  })
  afterAll(() => solo?.close())

  const raw = (path: string, data: Uint8Array, height = 0n, prove = false) =>
    handler({ $typeName: 'perihelion.abci.v1.QueryRequest', path, data, height, prove })

  const ask = async <Asked extends DescMessage, Answered extends DescMessage>(
    path: string,
    asked: Asked,
    request: MessageInitShape<Asked>,
    answered: Answered,
    height = 0n,
  ) => {
    const answer = await raw(path, toBinary(asked, create(asked, request)), height)
    expect(answer.log ?? '').toBe('')
    return fromBinary(answered, answer.value ?? new Uint8Array(0))
  }

  test('state in the words of cosmos/evm, at the requested height', async () => {
    const head = chain.head().number
    for (const height of [0, 1, head - 1]) {
      const state = await chain.state({ kind: 'number', number: BigInt(height === 0 ? head : height) })
      const address = fromHex(contract)
      const at = BigInt(height)
      const account = await ask(
        `${evmPath}/Account`,
        evm.QueryAccountRequestSchema,
        { address: contract },
        evm.QueryAccountResponseSchema,
        at,
      )
      const known = await state.account(address)
      expect(account).toMatchObject({ balance: String(known?.balance ?? 0n), nonce: known?.nonce ?? 0n })
      const { balance } = await ask(
        `${evmPath}/Balance`,
        evm.QueryBalanceRequestSchema,
        { address: contract },
        evm.QueryBalanceResponseSchema,
        at,
      )
      expect(balance).toBe(String(await state.balance(address)))
      const { code } = await ask(
        `${evmPath}/Code`,
        evm.QueryCodeRequestSchema,
        { address: contract },
        evm.QueryCodeResponseSchema,
        at,
      )
      expect(code).toEqual(await state.code(address))
      const { value } = await ask(
        `${evmPath}/Storage`,
        evm.QueryStorageRequestSchema,
        { address: contract, key: '0x0' },
        evm.QueryStorageResponseSchema,
        at,
      )
      expect(value).toBe(toHex(await state.storage(address, new Uint8Array(32))))
    }
  })

  test('the chain, its fees and the node', async () => {
    const head = chain.head().number
    const { config } = await ask(
      `${evmPath}/Config`,
      evm.QueryConfigRequestSchema,
      {},
      evm.QueryConfigResponseSchema,
    )
    expect(config).toMatchObject({
      chainId: 31_337n,
      denom: 'aperihelion',
      decimals: 18n,
      londonBlock: '0',
      osakaTime: '0',
      verkleTime: '',
    })
    const { params } = await ask(
      `${evmPath}/Params`,
      evm.QueryParamsRequestSchema,
      {},
      evm.QueryParamsResponseSchema,
    )
    expect(params?.evmDenom).toBe('aperihelion')
    const { baseFee } = await ask(
      `${evmPath}/BaseFee`,
      evm.QueryBaseFeeRequestSchema,
      {},
      evm.QueryBaseFeeResponseSchema,
      3n,
    )
    expect(baseFee).toBe(String(chain.blocks.header(3)?.baseFeePerGas))
    const market = await ask(
      '/cosmos.evm.feemarket.v1.Query/Params',
      fees.QueryParamsRequestSchema,
      {},
      fees.QueryParamsResponseSchema,
      3n,
    )
    expect(market.params).toMatchObject({
      baseFee: `${baseFee}${'0'.repeat(18)}`,
      elasticityMultiplier: 2,
      noBaseFee: false,
    })
    const { gas } = await ask(
      '/cosmos.evm.feemarket.v1.Query/BlockGas',
      fees.QueryBlockGasRequestSchema,
      {},
      fees.QueryBlockGasResponseSchema,
    )
    expect(gas).toBe(chain.blocks.header(head)?.gasUsed)
    expect(
      await ask('/cosmos.base.node.v1beta1.Service/Status', StatusRequestSchema, {}, StatusResponseSchema),
    ).toMatchObject({ height: BigInt(head), earliestStoreHeight: 0n })
  })

  test('calls: what is returned, reverted and rejected', async () => {
    const call = (args: object, more: MessageInitShape<typeof evm.EthCallRequestSchema> = {}) =>
      ask(
        `${evmPath}/EthCall`,
        evm.EthCallRequestSchema,
        { args: Buffer.from(JSON.stringify(args)), gasCap: 1_000_000n, ...more },
        MsgEthereumTxResponseSchema,
      )
    const overrides = (code: string) => ({ overrides: Buffer.from(JSON.stringify({ [contract]: { code } })) })
    const seven = '60075f5260205ff3'
    expect(toHex((await call({ to: contract, input: '0x' }, overrides(`0x${seven}`))).ret)).toMatch(/07$/)
    expect(await call({ to: contract }, overrides('0x60015ffd'))).toMatchObject({
      vmError: 'execution reverted',
    })
    expect(toHex((await call({ to: contract }, overrides('0x5a5f5260205ff3'))).ret)).toBe(
      toHex((await call({ to: contract, gas: '0xf4240' }, overrides('0x5a5f5260205ff3'))).ret),
    )
    const estimate = await ask(
      `${evmPath}/EstimateGas`,
      evm.EthCallRequestSchema,
      { args: Buffer.from(`{"to":"${contract}"}`), gasCap: 1_000_000n, ...overrides('0x') },
      evm.EstimateGasResponseSchema,
    )
    expect(estimate.gas).toBe(21_000n)
    const bad = toBinary(
      evm.EthCallRequestSchema,
      create(evm.EthCallRequestSchema, { args: Buffer.from('{"to":7}') }),
    )
    expect(await raw(`${evmPath}/EthCall`, bad)).toMatchObject({
      code: 18,
      codespace: 'sdk',
      log: 'rpc error: code = InvalidArgument desc = args.to: expected DATA: invalid request',
    })
  })

  test('traces of what is in the chain, and of nothing else', async () => {
    const number = chain.head().number
    const rlp = chain.blocks.transactionRlp({ number, index: 0 }) as Uint8Array
    const msg = create(MsgEthereumTxSchema, { raw: rlp })
    const traceConfig = { tracer: 'callTracer', timeout: '5s', tracerJsonConfig: '{"onlyTopCall":true}' }
    const traced = await ask(
      `${evmPath}/TraceTx`,
      evm.QueryTraceTxRequestSchema,
      { msg, traceConfig },
      evm.QueryTraceTxResponseSchema,
    )
    const [entry] = JSON.parse(
      Buffer.from(
        (
          await ask(
            `${evmPath}/TraceBlock`,
            evm.QueryTraceBlockRequestSchema,
            { txs: [msg], traceConfig, blockNumber: BigInt(number) },
            evm.QueryTraceBlockResponseSchema,
          )
        ).data,
      ).toString(),
    )
    expect(entry.result).toEqual(JSON.parse(Buffer.from(traced.data).toString()))
    const other = toBinary(
      evm.QueryTraceBlockRequestSchema,
      create(evm.QueryTraceBlockRequestSchema, { txs: [], blockNumber: BigInt(number) }),
    )
    expect(await raw(`${evmPath}/TraceBlock`, other)).toMatchObject({ code: 18 })
    const called = await ask(
      `${evmPath}/TraceCall`,
      evm.QueryTraceCallRequestSchema,
      { args: Buffer.from(`{"to":"${contract}"}`), traceConfig },
      evm.QueryTraceCallResponseSchema,
    )
    expect(JSON.parse(Buffer.from(called.data).toString())).toMatchObject({ type: 'CALL', to: contract })
  })

  test('heights and paths that are not there, as the SDK says it', async () => {
    const nothing = new Uint8Array(0)
    const beyond = BigInt(chain.head().number + 1)
    expect(await raw(`${evmPath}/Params`, nothing, beyond)).toMatchObject({
      code: 26,
      codespace: 'sdk',
      log: 'cannot query with height in the future; please provide a valid height: invalid height',
    })
    expect(await raw(`${evmPath}/Params`, nothing, -1n)).toMatchObject({ code: 18 })
    expect(await raw('/ethermint.evm.v1.Query/Params', nothing)).toMatchObject({
      code: 6,
      codespace: 'sdk',
      log: 'unknown query path: unknown request',
    })
    expect(await raw('', nothing)).toMatchObject({ code: 6, log: 'no query path provided: unknown request' })
    expect(await raw('/__proto__', nothing)).toMatchObject({ code: 6 })
    expect((await raw('/p2p/filter/addr/1.2.3.4:5', nothing)).code ?? 0).toBe(0)
    const unknown = bech32.encodeFromBytes('perihelionvalcons', new Uint8Array(20))
    const request = toBinary(
      evm.QueryValidatorAccountRequestSchema,
      create(evm.QueryValidatorAccountRequestSchema, { consAddress: unknown }),
    )
    expect((await raw(`${evmPath}/ValidatorAccount`, request)).log).toMatch(/this chain has no validators/)
  })

  test('millions of fields, values or path members are rejected before they are decoded', async () => {
    const address = evm.QueryAccountRequestSchema
    const asked = toBinary(address, create(address, { address: contract }))
    const unknown = Uint8Array.of(0x7a, 0)
    const withFields = (count: number) => Buffer.concat([asked, Buffer.alloc(2 * count, unknown)])
    // Queries of the SDK ignore what they do not know, if it is not too much.
    expect((await raw(`${evmPath}/Account`, withFields(1_000))).log ?? '').toBe('')
    expect(await raw(`${evmPath}/Account`, withFields(3_900_000))).toMatchObject({
      code: 18,
      log: expect.stringContaining('the request is not a cosmos.evm.vm.v1.QueryAccountRequest'),
    })
    const { path } = perihelionQueries.call
    const question = Buffer.from(`{"request":[${'[],'.repeat(1_000_000)}[]]}`)
    const json = toBinary(ExecuteRequestSchema, create(ExecuteRequestSchema, { question }))
    expect(await raw(path, json)).toMatchObject({ log: expect.stringContaining('more than 200000 values') })
    expect(await raw(`/store${'/'.repeat(2_000_000)}`, new Uint8Array(0))).toMatchObject({
      code: 6,
      log: 'unknown query path: unknown request',
    })
  })

  test('a proof leads from a value to the AppHash', async () => {
    const { number, hash } = chain.head()
    const state = await chain.state({ kind: 'number', number: BigInt(number) })
    const [stored] = (await state.slots(fromHex(contract), new Uint8Array(32), 1)).slots
    const key = Buffer.concat([Uint8Array.of(2), fromHex(contract), stored?.slot ?? new Uint8Array(0)])
    const { value, proofOps, height } = await raw('/store/evm/key', key, BigInt(number), true)
    expect(height).toBe(BigInt(number))
    const [slot, account, header] = proofOps?.ops ?? []
    expect(proofOps?.ops?.map(({ type }) => type)).toEqual([
      'perihelion:mpt',
      'perihelion:mpt',
      'perihelion:header',
    ])
    const rootOf = (data: Uint8Array | undefined): string => {
      const nodes = decodeRlp(data ?? new Uint8Array(0)) as readonly Uint8Array[]
      return toHex(keccak256(nodes[0] as Uint8Array))
    }
    expect(toHex(keccak256(header?.data ?? new Uint8Array(0)))).toBe(toHex(hash))
    expect(rootOf(account?.data)).toBe(toHex(decodeHeader(header?.data ?? new Uint8Array(0)).stateRoot))
    const leaf = (await raw('/store/acc/key', Buffer.concat([Uint8Array.of(1), fromHex(contract)]))).value
    const [, , storageRoot] = decodeRlp(leaf ?? new Uint8Array(0)) as readonly Uint8Array[]
    expect(rootOf(slot?.data)).toBe(toHex(storageRoot as Uint8Array))
    expect(toHex(value ?? new Uint8Array(0))).toBe(toHex(stored?.value ?? new Uint8Array(1)))
    expect(await raw('/store/bank/key', key)).toMatchObject({
      code: 6,
      log: 'no such store: bank: unknown request',
    })
  })

  test('a query past its time is answered, and others before it', async () => {
    const impatient = handlerOf(chain, { timeoutMs: 200 })
    const question = {
      request: { to: contract },
      stateOverrides: { [contract]: { code: '0x5b61ffff5f20505f56' } },
    }
    const data = toBinary(
      ExecuteRequestSchema,
      create(ExecuteRequestSchema, { question: Buffer.from(JSON.stringify(question)) }),
    )
    const slow = impatient({
      $typeName: 'perihelion.abci.v1.QueryRequest',
      path: perihelionQueries.call.path,
      data,
      height: 0n,
      prove: false,
    })
    expect((await raw(`${evmPath}/Config`, new Uint8Array(0))).code ?? 0).toBe(0)
    expect((await slow).log).toMatch(/longer than 200 ms/)
    const patient = await ask(
      `${evmPath}/Config`,
      evm.QueryConfigRequestSchema,
      {},
      evm.QueryConfigResponseSchema,
    )
    expect(patient.config?.chainId).toBe(31_337n)
  })

  test('whatever is asked, there is a response, and nothing changes', slow, async () => {
    const before = chain.head()
    const paths = [
      ...Object.values(perihelionQueries).map(({ path }) => path),
      ...[
        'Account',
        'Storage',
        'Code',
        'EthCall',
        'EstimateGas',
        'TraceTx',
        'TraceBlock',
        'TraceCall',
        'ValidatorAccount',
      ].map((name) => `${evmPath}/${name}`),
      '/store/evm/key',
      '/store/acc/key',
    ]
    const json = fc
      .json()
      .map((text) =>
        toBinary(ExecuteRequestSchema, create(ExecuteRequestSchema, { question: Buffer.from(text) })),
      )
    const place = fc
      .record({ block: fc.bigInt(0n, 2n ** 64n - 1n), before: fc.nat(5) })
      .map((given) =>
        toBinary(
          ExecuteRequestSchema,
          create(ExecuteRequestSchema, { place: given, question: Buffer.from('{"request":{}}') }),
        ),
      )
    await fc.assert(
      fc.asyncProperty(
        fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...paths) }, fc.string()),
        fc.oneof(fc.uint8Array({ maxLength: 200 }), json, place),
        fc.oneof(fc.constant(0n), fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), fc.bigInt(0n, 12n)),
        fc.boolean(),
        async (path, data, height, prove) => {
          const { code = 0, log = '' } = await raw(path, data, height, prove)
          expect(log === '').toBe(code === 0)
          expect(code).not.toBe(1)
        },
      ),
      { numRuns: 1500 },
    )
    expect(chain.head()).toEqual(before)
  })
})
