import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { methods } from '../../src/api/methods.ts'
import { notImplemented } from '../../src/api/unsupported/unsupported.ts'
import { decodeParams } from '../../src/rpc/dispatch/params.ts'
import { RpcError } from '../../src/rpc/errors.ts'
import type { WorkClass } from '../../src/rpc/methodKinds.ts'
import { createOpenRpcDocument } from '../../src/rpc/openrpc.ts'
import { callApi } from '../support/callApi.ts'
import { createOpenRpcValidator } from '../support/openRpcSchema.ts'
import { expected } from './expected.ts'

/** The methods of chains for development have a list of their own in test/dev. */
const isOfDevNamespace = (name: string): boolean => /^(?:anvil|hardhat|evm)_/.test(name)

const byName = new Map(methods.map((method) => [method.name, method]))

describe('the method table', () => {
  test('names what is asked of a remote by a parameter that the method has', () => {
    for (const { name, params, belowFork } of methods)
      if (belowFork !== undefined && 'param' in belowFork)
        expect(
          params.map((param) => param.name),
          name,
        ).toContain(belowFork.param)
  })

  test('holds the 142 methods of the specification and these besides', () => {
    expect(expected).toHaveLength(142)
    const specified = new Set(expected.map(({ name }) => name))
    expect(specified.size).toBe(142)
    expect([...specified].filter((name) => !byName.has(name))).toEqual([])
    const others = [...byName.keys()].filter((name) => !specified.has(name) && !isOfDevNamespace(name))
    expect(others.sort()).toEqual([
      'admin_addTrustedPeer',
      'admin_exportChain',
      'admin_importChain',
      'admin_peerEvents',
      'admin_removePeer',
      'admin_removeTrustedPeer',
      'admin_startHTTP',
      'admin_stopHTTP',
      'cosmos_cosmosTxHashByTxHash',
      'cosmos_getBlock',
      'cosmos_getBlockResults',
      'cosmos_getEthereumHash',
      'cosmos_getTransaction',
      'cosmos_getTransactionHash',
      'cosmos_toBech32',
      'cosmos_toHex',
      'cosmos_txHashByCosmosTxHash',
      'debug_accountRange',
      'debug_chaindbCompact',
      'debug_chaindbProperty',
      'debug_clearTxpool',
      'debug_dbAncient',
      'debug_dbAncients',
      'debug_dbGet',
      'debug_executionWitness',
      'debug_getAccessibleState',
      'debug_getBadBlocks',
      'debug_getModifiedAccountsByHash',
      'debug_getModifiedAccountsByNumber',
      'debug_getRawBlock',
      'debug_getRawHeader',
      'debug_getRawReceipts',
      'debug_getRawTransaction',
      'debug_intermediateRoots',
      'debug_preimage',
      'debug_printBlock',
      'debug_setMemoryLimit',
      'debug_storageRangeAt',
      'debug_subscribe',
      'debug_traceBadBlock',
      'debug_traceCall',
      'debug_unsubscribe',
      'erigon_forks',
      'erigon_getBlockByTimestamp',
      'erigon_getBlockReceiptsByBlockHash',
      'erigon_getHeaderByHash',
      'erigon_getHeaderByNumber',
      'erigon_getLatestLogs',
      'erigon_getLogsByHash',
      'eth_baseFee',
      'eth_blobBaseFee',
      'eth_callMany',
      'eth_capabilities',
      'eth_chainId',
      'eth_config',
      'eth_createAccessList',
      'eth_feeHistory',
      'eth_fillTransaction',
      'eth_getAccount',
      'eth_getAccountInfo',
      'eth_getBlockReceipts',
      'eth_getHeaderByHash',
      'eth_getHeaderByNumber',
      'eth_getRawTransactionByBlockHashAndIndex',
      'eth_getRawTransactionByBlockNumberAndIndex',
      'eth_getRawTransactionByHash',
      'eth_getStorageValues',
      'eth_getTransactionByBlockNumberAndIndex',
      'eth_getTransactionBySenderAndNonce',
      'eth_maxPriorityFeePerGas',
      'eth_pendingTransactions',
      'eth_requestAccounts',
      'eth_resend',
      'eth_sendRawTransactionSync',
      'eth_sendTransactionSync',
      'eth_sendUnsignedTransaction',
      'eth_signTypedData',
      'eth_signTypedData_v3',
      'eth_signTypedData_v4',
      'eth_simulateV1',
      'ots_getApiLevel',
      'ots_getBlockDetails',
      'ots_getBlockDetailsByHash',
      'ots_getBlockTransactions',
      'ots_getContractCreator',
      'ots_getInternalOperations',
      'ots_getTransactionBySenderAndNonce',
      'ots_getTransactionError',
      'ots_hasCode',
      'ots_searchTransactionsAfter',
      'ots_searchTransactionsBefore',
      'ots_traceTransaction',
      'perihelion_abis',
      'perihelion_callWitness',
      'perihelion_chainConfig',
      'perihelion_compiledContract',
      'perihelion_lightBlock',
      'perihelion_proofs',
      'perihelion_removeAbi',
      'perihelion_setAbi',
      'perihelion_stackTrace',
      'perihelion_status',
      'perihelion_traceSteps',
      'perihelion_validators',
      'personal_deriveAccount',
      'personal_listWallets',
      'personal_openWallet',
      'personal_signTransaction',
      'rpc.discover',
      'rpc_modules',
      'trace_block',
      'trace_call',
      'trace_callMany',
      'trace_filter',
      'trace_get',
      'trace_rawTransaction',
      'trace_replayBlockTransactions',
      'trace_replayTransaction',
      'trace_transaction',
      'txpool_contentFrom',
    ])
    expect(byName.size).toBe(methods.length)
  })

  test('says of each method what its calls cost, where that is more than a row or two', () => {
    const namesOf = (work: WorkClass): string[] =>
      methods.filter((method) => method.work === work && method.access !== 'dev').map(({ name }) => name)
    expect(namesOf('evm')).toEqual([
      ...['eth_call', 'eth_estimateGas', 'eth_createAccessList', 'eth_callMany', 'eth_simulateV1'],
      'eth_fillTransaction',
      'perihelion_callWitness',
    ])
    expect(namesOf('trace').filter((name) => !/^(?:debug_(?:standardT|t)race|trace_)/.test(name))).toEqual([
      'debug_executionWitness',
      'debug_intermediateRoots',
      'debug_subscribe',
      ...[
        'ots_getInternalOperations',
        'ots_getTransactionError',
        'ots_traceTransaction',
        'ots_searchTransactionsBefore',
        'ots_searchTransactionsAfter',
        'ots_getContractCreator',
      ],
      'perihelion_traceSteps',
    ])
    expect(namesOf('write')).toEqual([
      ...['eth_sendRawTransaction', 'eth_sendRawTransactionSync'],
      ...['eth_sendTransaction', 'eth_sendTransactionSync', 'eth_resend'],
      'personal_sendTransaction',
    ])
    expect(namesOf('logs')).toEqual(['eth_getLogs', 'eth_getFilterLogs', 'erigon_getLatestLogs'])
    // A poll of a filter for logs is a search too; one for hashes does not wait behind searches.
    const poll = byName.get('eth_getFilterChanges')
    for (const [searchesLogs, work] of [
      [true, 'logs'],
      [false, 'state'],
    ] as const) {
      const filters = { searchesLogs: () => searchesLogs }
      expect(poll?.workOf?.([1n], { filters } as never)).toBe(work)
    }
    expect(namesOf('state')).toEqual(
      expect.arrayContaining(['eth_feeHistory', 'eth_getProof', 'eth_getStorageValues', 'debug_dumpBlock']),
    )
  })

  test.each(expected)('$name is $access and takes its sample', ({ name, access, params }) => {
    const method = byName.get(name)
    expect(method?.access).toBe(access)
    expect(method && decodeParams(method as never, params)).toBeInstanceOf(Array)
  })

  // What depends on the mode asks the chain, which is not here: the walk over a node tries it.
  const refusing = expected.filter(
    ({ authorized, finalUnsupported }) =>
      authorized === 'not yet' || (authorized === 'unsupported' && finalUnsupported !== 'by mode'),
  )
  test.each(refusing)('$name is $authorized', async ({ name, params, authorized }) => {
    const error = await callApi(name, params)
    expect(error).toBeInstanceOf(RpcError)
    expect((error as RpcError).code).toBe(-32004)
    expect((error as RpcError).message.startsWith('not yet: ')).toBe(authorized === 'not yet')
  })

  test('describes each method in one sentence', () => {
    for (const { name, summary } of methods) expect(summary, name).toMatch(/^[A-Z][^.]*(?:\.\d[^.]*)*\.$/)
  })

  test('gives no passphrase and no key away', () => {
    const secrets = methods.flatMap(({ name, params }) =>
      params.filter(({ secret }) => secret).map((param) => `${name} ${param.name}`),
    )
    expect(secrets.sort()).toEqual([
      'personal_importRawKey password',
      'personal_importRawKey privateKey',
      'personal_newAccount passphrase',
      'personal_openWallet pairingPassword',
      'personal_sendTransaction passphrase',
      'personal_sign passphrase',
      'personal_signTransaction passphrase',
      'personal_unlockAccount passphrase',
      'personal_unpair pairingPassword',
    ])
  })
})

describe('the OpenRPC document of the table', () => {
  const document = createOpenRpcDocument(methods, '1.0.0')

  test('follows the meta schema', () => {
    const validate = createOpenRpcValidator()
    expect(validate(document), JSON.stringify(validate.errors)).toBe(true)
  })

  const ajv = new Ajv({ strict: false }).addSchema({ $id: 'openrpc', components: document.components })
  const compile = (schema: object) =>
    ajv.compile(
      JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"openrpc#/components/')) as object,
    )
  const withExamples = document.methods.filter(({ examples }) => examples.length > 0)

  test.each(withExamples)('the examples of $name are valid', ({ name, params, result, examples }) => {
    for (const example of examples) {
      const values = example.params.map(({ value }) => value)
      expect(decodeParams(byName.get(name) as never, values)).toBeInstanceOf(Array)
      values.forEach((value, position) => {
        const validate = compile(params[position]?.schema as object)
        expect(validate(value), JSON.stringify(validate.errors)).toBe(true)
      })
      const validate = compile(result.schema)
      expect(validate(example.result.value), JSON.stringify(validate.errors)).toBe(true)
    }
  })

  test.each(expected.filter(({ params }) => params.length > 0))(
    'the schemas of $name take its sample',
    (row) => {
      const method = document.methods.find(({ name }) => name === row.name)
      row.params.forEach((value, position) => {
        const validate = compile(method?.params[position]?.schema as object)
        expect(validate(value), JSON.stringify(validate.errors)).toBe(true)
      })
    },
  )

  test('every method that answers now, and every eth method that will, shows how', () => {
    const bare = document.methods.filter(({ examples }) => examples.length === 0).map(({ name }) => name)
    const answering = new Set(
      expected.filter(({ authorized }) => authorized === 'result').map(({ name }) => name),
    )
    expect(bare.filter((name) => answering.has(name))).toEqual([])
    expect(bare.filter((name) => name.startsWith('eth_'))).toEqual([
      'eth_getWork',
      'eth_compileSolidity',
      'eth_compileLLL',
      'eth_compileSerpent',
    ])
  })
})

test('what is still to be written', () => {
  const pending = methods.filter(({ handler }) => handler === notImplemented).map(({ name }) => name)
  // Names only ever leave this list.
  expect(pending.sort()).toEqual([])
})
