import { describe, expect, it } from 'vitest'
import { readNativeFile } from '../../../test/support/nativeRecordings.ts'
import { address, coin, createSubmission, dynamicFee, testHead } from '../../../test/support/pool.ts'
import { toPoolTransaction } from '../../pool/admission/submission.ts'
import {
  type BroadcastResponse,
  classifyError,
  classifyResponse,
  stripTransportPrefixes,
  toGethError,
} from './broadcastOutcome.ts'

type Recorded =
  | string
  | (Partial<BroadcastResponse> & { readonly jsonrpc_error?: { readonly data: string } })
  | undefined

const tx = toPoolTransaction(createSubmission(dynamicFee()), { sender: address(1), authorities: [] }, true, 0)

const read = (answer: Recorded) => {
  if (typeof answer !== 'object') return undefined
  if (answer.jsonrpc_error) return classifyError(new Error(answer.jsonrpc_error.data))
  return answer.code === undefined
    ? undefined
    : classifyResponse({ code: answer.code, codespace: answer.codespace ?? '', log: answer.log ?? '' })
}

const wordsOf = (answer: Recorded, balance = 5n): string | undefined => {
  const outcome = read(answer)
  if (outcome?.kind !== 'refused') return outcome?.kind
  return toGethError(outcome, {
    tx,
    account: { nonce: 0n, balance, codeKind: 'none' },
    head: testHead,
  })
}

const funds =
  'insufficient funds for gas * price + value: balance 5, tx cost 210000000000000, overshot 209999999999995'

/** The expected outcomes by name of the recorded case: for an app mempool, and for CometBFT's mempool. */
const meanings: Readonly<Record<string, readonly [string | undefined, string | undefined]>> = {
  'garbage bytes': [undefined, 'expected 2 wire type, got 0'],
  'nonce too low': ['nonce used', 'nonce used'],
  'nonce gap': ['taken', 'gap'],
  'intrinsic gas': [
    'intrinsic gas too low: gas 21000, minimum needed 21000',
    'intrinsic gas too low: gas 21000, minimum needed 21016',
  ],
  'gas above block max_gas': ['exceeds block gas limit', 'exceeds block gas limit'],
  'insufficient funds': [funds, funds],
  'wrong EIP-155 chain id': [
    'invalid sender: invalid transaction v, r, s values',
    'invalid sender: invalid transaction v, r, s values',
  ],
  'oversized (200 kB)': [`oversized data: transaction size ${tx.size}, limit 131072`, undefined],
  'duplicate (pending)': ['known', 'known'],
  'same bytes re-sent <5 s after a rejection': ['known', undefined],
  'replacement underpriced': ['replacement transaction underpriced', 'nonce used'],
  'two MsgEthereumTx in one tx': [
    'transaction contains multiple messages with an EVM msg',
    'expected 1 message, got 2',
  ],
  'wrapper fee 0 / fee+1 / wrong denom': [
    undefined,
    'invalid AuthInfo Fee Amount (210000000000001atest != 210000000000000)',
  ],
  'wrapper gas+1': [undefined, 'invalid AuthInfo Fee GasLimit (21001 != 21000)'],
  'wrapper from != recovered signer': [undefined, 'invalid sender: invalid transaction v, r, s values'],
  'cosmos tx while the same account has an EVM tx pending': ['address already reserved', undefined],
}

describe('what a chain says of a transaction', () => {
  it('is understood in every recorded case', () => {
    const cases = readNativeFile('broadcast-errors.json') as readonly {
      readonly case: string
      readonly app?: Recorded
      readonly flood?: Recorded
    }[]
    const understood = Object.fromEntries(
      cases.map((recorded) => [recorded.case, [wordsOf(recorded.app), wordsOf(recorded.flood)]]),
    )
    expect(understood).toMatchObject(meanings)
    const silent = Object.keys(understood).filter((name) => !(name in meanings))
    for (const name of silent) expect(understood[name], name).toEqual([undefined, undefined])
  })

  it('is understood in the older words for a nonce', () => {
    const sequence = (text: string) => read({ code: 3, codespace: 'sdk', log: text })
    expect(sequence('invalid nonce; got 4, expected 5: invalid sequence')).toEqual({ kind: 'nonce used' })
    expect(sequence('invalid nonce; got 6, expected 5: invalid sequence')).toEqual({ kind: 'gap' })
    expect(sequence('account sequence mismatch, expected 9, got 11: incorrect account sequence')).toEqual({
      kind: 'gap',
    })
  })

  it('tells a mempool that is full from one that does not answer', () => {
    const full = 'mempool is full: number of txs 5000 (max: 5000), total txs bytes 1 (max: 2)'
    expect(classifyError(new Error(full))).toEqual({ kind: 'full' })
    expect(read({ code: 20, codespace: 'sdk', log: 'mempool is full' })).toEqual({ kind: 'full' })
    expect(classifyError(new Error('socket hang up'))).toMatchObject({
      kind: 'unanswered',
      text: 'socket hang up',
    })
  })

  it('names the price that is wanted', () => {
    const log = 'max fee per gas less than block base fee (10 < 25): insufficient fee'
    expect(wordsOf({ code: 13, codespace: 'sdk', log })).toMatch(
      /^max fee per gas less than block base fee: address 0x\w{40}, maxFeePerGas: 10000000000, baseFee: 25$/,
    )
    const least = 'got: 10.5, minimum required: 420000000000000.0: insufficient fee'
    expect(wordsOf({ code: 13, codespace: 'sdk', log: least })).toBe('transaction underpriced')
    const global =
      'provided fee < minimum global fee (1 < 420000000000001). Please increase: insufficient fee'
    expect(wordsOf({ code: 13, codespace: 'sdk', log: global })).toBe(
      'transaction underpriced: gas fee cap 10000000000, minimum needed 20000000001',
    )
  })

  it('has no figures where the account seems to have enough', () => {
    const answer = { code: 5, codespace: 'sdk', log: 'spendable balance is smaller: insufficient funds' }
    expect(wordsOf(answer, coin)).toBe('insufficient funds for gas * price + value')
  })

  it('loses what libraries put around it', () => {
    expect(stripTransportPrefixes('rpc error: code = Unknown desc = address already reserved')).toBe(
      'address already reserved',
    )
    expect(
      stripTransportPrefixes(
        'bad memo: invalid request [cosmos/cosmos-sdk@v0.50.1/baseapp/x.go:12] With gas wanted',
      ),
    ).toBe('bad memo')
    expect(stripTransportPrefixes('')).toBe('transaction rejected by the chain')
    expect(stripTransportPrefixes('x'.repeat(10_000))).toHaveLength(512)
  })

  it('is read as far as a text can be: a megabyte of spaces would take twenty minutes', () => {
    const log = `x${' '.repeat(1_000_000)}y`
    expect(wordsOf({ code: 1, codespace: 'evm', log })).toBe('x')
    expect(stripTransportPrefixes(log)).toBe('x')
    expect(classifyError(new Error(log))).toMatchObject({ kind: 'unanswered' })
  })
})
