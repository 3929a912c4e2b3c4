import { privateKeyToAddress } from '../../../src/base/crypto/crypto.ts'
import { fromBigInt } from '../../../src/base/encoding/bytes.ts'
import { toHex, toQuantity } from '../../../src/base/encoding/hex.ts'
import type { StateTest } from '../../../src/evm/stateTest/testFormat.ts'
import { Assembler } from '../../../test/support/evm/assembler.ts'

/** One transaction that spends its gas where a machine may be slow, in the format of state tests: any client runs it. */
export interface Attack {
  readonly name: string
  /** What it may cost beside geth: an instruction twice as much, a precompile four times. */
  readonly kind: 'opcode' | 'precompile'
  readonly fork: string
  readonly test: StateTest
}

/** A full block of a development chain. */
export const blockGas = 60_000_000n

const unknown = toHex(new Uint8Array(32))
const secretKey = fromBigInt(0x1000n, 32)
export const attacker = privateKeyToAddress(secretKey)
export const target = fromBigInt(0xdecafn, 20)

export const numbered = (index: number): Uint8Array => fromBigInt(0x10000n + BigInt(index), 20)

interface AttackOptions {
  readonly name: string
  readonly code: Uint8Array
  readonly kind?: Attack['kind']
  readonly fork?: string
  readonly gas?: bigint
  readonly input?: Uint8Array
  readonly others?: readonly (readonly [address: Uint8Array, code: Uint8Array])[]
  readonly storage?: Readonly<Record<string, string>>
  readonly transaction?: Partial<StateTest['transaction']>
}

export const attack = (options: AttackOptions): Attack => {
  const { name, code, kind = 'opcode', fork = 'Prague', gas = blockGas, others = [], storage = {} } = options
  const account = (bytes: Uint8Array, slots: Readonly<Record<string, string>> = {}) => ({
    nonce: '0x1',
    balance: '0xffffffff',
    code: toHex(bytes),
    storage: slots,
  })
  return {
    name,
    kind,
    fork,
    test: {
      env: {
        currentCoinbase: toHex(new Uint8Array(20).fill(0xba)),
        currentDifficulty: '0x0',
        currentRandom: toHex(new Uint8Array(32)),
        currentGasLimit: toQuantity(gas),
        currentNumber: '0x1',
        currentTimestamp: '0x3e8',
        currentBaseFee: '0x7',
        currentExcessBlobGas: '0x0',
      },
      pre: {
        [toHex(attacker)]: { nonce: '0x0', balance: toQuantity(10n ** 24n), code: '0x', storage: {} },
        [toHex(target)]: account(code, storage),
        ...Object.fromEntries(others.map(([address, bytes]) => [toHex(address), account(bytes)])),
      },
      transaction: {
        data: [toHex(options.input ?? new Uint8Array(0))],
        gasLimit: [toQuantity(gas)],
        value: ['0x0'],
        nonce: '0x0',
        to: toHex(target),
        sender: toHex(attacker),
        secretKey: toHex(secretKey),
        maxFeePerGas: '0xa',
        maxPriorityFeePerGas: '0x0',
        ...options.transaction,
      },
      post: { [fork]: [{ hash: unknown, logs: unknown, indexes: { data: 0, gas: 0, value: 0 } }] },
    },
  }
}

/** The same state and a transaction that does nothing: what it takes to get there. */
export const idle = (one: Attack): Attack => ({
  ...one,
  test: {
    ...one.test,
    transaction: {
      ...one.test.transaction,
      to: `0x${'99'.repeat(20)}`,
      data: ['0x'],
      accessLists: [[]],
      authorizationList: undefined,
    },
  },
})

/** The size of the largest contract (EIP-170). */
export const maxCodeSize = 24_576

/** A body as often as it fits into a contract, in an endless loop. */
export const endless = (
  body: (assembler: Assembler) => void,
  before?: (assembler: Assembler) => void,
): Uint8Array => {
  const once = new Assembler()
  body(once)
  const size = once.assemble().length
  const assembler = new Assembler()
  before?.(assembler)
  const start = assembler.newLabel()
  assembler.place(start).op(0x5b)
  for (let room = maxCodeSize - assembler.length - 8; room >= size; room -= size) body(assembler)
  return assembler.pushLabel(start).op(0x56).assemble()
}

/** A body once, in an endless loop above a counter that it may copy. */
export const counting = (body: (assembler: Assembler) => void): Uint8Array => {
  const assembler = new Assembler().push(0n)
  const start = assembler.newLabel()
  assembler.place(start).op(0x5b)
  body(assembler)
  return assembler.push(1n).op(0x01).pushLabel(start).op(0x56).assemble()
}

export const ops = (...bytes: readonly number[]): ((assembler: Assembler) => void) => {
  return (assembler) => void assembler.op(...bytes)
}
