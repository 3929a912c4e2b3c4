import fc from 'fast-check'
import { concatBytes, equalBytes } from '../../../../src/base/encoding/bytes.ts'
import { readFields } from '../../../../src/base/encoding/protobuf/protoReader.ts'
import { type Codec, CodecError, decodeJson, encodeJson } from '../../../../src/cosmos/queries/codec.ts'
import {
  callManyRequest,
  callRequest,
  simulation,
  traceOptions,
} from '../../../../src/cosmos/queries/requestCodecs.ts'
import { decodeContents } from '../../../../src/cosmos/transaction/contents.ts'
import { perihelionDialect } from '../../../../src/cosmos/transaction/dialect.ts'
import { decodeProposerEntry, encodeProposerEntry } from '../../../../src/cosmos/transaction/proposerEntry.ts'
import { unwrapTransaction } from '../../../../src/cosmos/transaction/unwrap.ts'
import { messageUrl, optionUrl, wrapTransaction } from '../../../../src/cosmos/transaction/wrap.ts'
import { signedTransactions, testSender } from '../../../support/arbitraryTransactions.ts'
import { assertSo, type InputTarget, refusedBy, taken } from '../target.ts'

const dialect = { ...perihelionDialect, feeDenom: 'acoin' }

/** Transactions of the engine: protobuf, which anybody can send and any proposer put into a block. */
export const nativeTransactions = (): InputTarget => ({
  name: 'native transactions',
  seeds: [
    ...fc
      .sample(signedTransactions, { numRuns: 40, seed: 11 })
      .map((signed) => wrapTransaction({ ...signed, from: testSender }, dialect)),
    encodeProposerEntry({ height: 7n, reward: new Uint8Array(20).fill(3) }),
  ],
  words: [
    messageUrl(dialect),
    optionUrl(dialect),
    '/cosmos.bank.v1beta1.MsgSend',
    // A field in itself, a group, numbers of fields that there are not, lengths that are not there.
    Uint8Array.of(0x0a, 0x02, 0x0a, 0x00),
    Uint8Array.of(0x0b),
    Uint8Array.of(0x0c),
    Uint8Array.of(0xfa, 0xff, 0xff, 0xff, 0x0f, 0x00),
    Uint8Array.of(0x00),
    Uint8Array.of(0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f),
    new Uint8Array(3000).fill(0x0a),
    concatBytes(...Array.from({ length: 400 }, () => Uint8Array.of(0x12, 0x00))),
  ],
  deepReason: /from has|the wrapper is not that|expected 1 extension option|is not a list|bits/,
  read: (input) => {
    const fields = readFields(input)
    if (fields !== undefined)
      assertSo(
        equalBytes(concatBytes(...fields.map(({ bytes }) => bytes)), input),
        'fields are not all of it',
      )
    const entry = decodeProposerEntry(input)
    if (entry !== undefined)
      assertSo(equalBytes(encodeProposerEntry(entry), input), 'the entry is another one')
    decodeContents(input)
    if (entry !== undefined) return taken
    const { native, rejection } = unwrapTransaction(input, dialect)
    if (native === undefined) return { refused: rejection.message }
    assertSo(
      equalBytes(wrapTransaction(native, dialect), input),
      'it is written another way than it was read',
    )
    return taken
  },
})

const call = { from: `0x${'11'.repeat(20)}`, to: `0x${'22'.repeat(20)}`, gas: '0x5208', data: '0x01' }
const slots = { [`0x${'00'.repeat(32)}`]: `0x${'01'.repeat(32)}` }
const flags = { enableMemory: false, disableStack: true, disableStorage: false, enableReturnData: true }
const queries: readonly (readonly [Codec<unknown>, unknown])[] = [
  [callRequest as Codec<unknown>, { request: call, stateOverrides: { [call.to]: { stateDiff: slots } } }],
  [callManyRequest as Codec<unknown>, { bundles: [{ requests: [call, call] }] }],
  [
    simulation as Codec<unknown>,
    { blocks: [{ calls: [call] }], traceTransfers: true, validation: false, returnFullTransactions: true },
  ],
  [
    traceOptions as Codec<unknown>,
    { tracer: 'callTracer', tracerConfig: { onlyTopCall: true }, timeoutMs: 5000, ...flags, limit: 0 },
  ],
]

/** Requests inside of queries of the application: JSON, read by a codec for each. */
export const queryRequests = (): InputTarget => ({
  name: 'query requests',
  seeds: queries.map(([, value]) => Buffer.from(JSON.stringify(value))),
  words: [
    ...[
      '"request":',
      '"stateOverrides":',
      '"blockOverrides":',
      '"accessList":',
      '"blocks":',
      '"calls":',
      '"bundles":',
    ],
    ...[
      'null',
      'true',
      '-1',
      '1e999',
      '"0x"',
      '"0x0"',
      '"0x00"',
      '[]',
      '{}',
      '"',
      ',',
      ':',
      '[',
      ']',
      '{',
      '}',
    ],
    ...['"__proto__":', '"constructor":', '"0xzz"', '"5m"', '"99999999h"', '[[[[[[[[[[', '\ud800'],
  ],
  deepReason: /stateDiff|calls\[|requests\[|timeoutMs/,
  read: (input) => {
    let refused: string | undefined
    let count = 0
    for (const [codec] of queries) {
      const read = refusedBy(
        (error) => error instanceof CodecError,
        () => decodeJson(codec, input, 'request'),
      )
      if ('refused' in read) {
        assertSo(read.refused.length < 1000, 'a message repeats the request')
        // The reason of the codec that came furthest.
        if (read.refused.length > (refused?.length ?? 0)) refused = read.refused
        continue
      }
      count++
      const written = encodeJson(codec, read.value)
      assertSo(
        equalBytes(encodeJson(codec, decodeJson(codec, written, 'again')), written),
        'it changes when it is written',
      )
    }
    return count > 0 ? taken : { refused }
  },
})
