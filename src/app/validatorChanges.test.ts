import { readFileSync } from 'node:fs'
import { type Abi, decodeErrorResult, decodeEventLog, decodeFunctionResult, encodeFunctionData } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  account,
  begin,
  code,
  contract,
  createTestMachine,
  returnTop,
  transact,
} from '../../test/support/evm/support.ts'
import { fromHex, toHex } from '../base/encoding/hex.ts'
import { toStateChanges } from '../chain/genesis/genesisAccount.ts'
import {
  readValidatorSet,
  validatorContractAddress,
  validatorContractCode,
  validatorContractStorage,
} from '../chain/validators/contract.ts'
import type { Validator, ValidatorChange } from '../chain/validators/validatorConfig.ts'
import { InMemoryState } from '../evm/stateTest/inMemoryState.ts'
import { validatorChanges } from './validatorChanges.ts'

const { abi } = JSON.parse(
  readFileSync(new URL('../../docs/validatorSet.json', import.meta.url), 'utf8'),
) as { readonly abi: Abi }
const machine = await createTestMachine()

const admin = new Uint8Array(20).fill(0xad)
const mallory = new Uint8Array(20).fill(0x66)
const validator = (fill: number, power = 10n): Validator => ({
  publicKey: new Uint8Array(32).fill(fill),
  power,
  reward: new Uint8Array(20).fill(fill + 0x80),
})
const key = (fill: number): string => toHex(validator(fill).publicKey)
const rewardOf = (fill: number): string => toHex(validator(fill).reward)

let world: InMemoryState
let nonces: Map<string, bigint>

const startWith = (validators: readonly Validator[], by: Uint8Array | undefined): void => {
  nonces = new Map()
  world = new InMemoryState([
    ...[admin, mallory, validator(1).reward].map((address) => account(address, { balance: 10n ** 24n })),
    account(validatorContractAddress, {
      nonce: 1n,
      code: validatorContractCode,
      storage: validatorContractStorage({ validators, admin: by }),
    }),
  ])
}

/** A transaction to the contract: its events, what the engine gets, or the name of the error. */
const send = (from: Uint8Array, functionName: string, ...args: readonly unknown[]) => {
  const execution = begin(machine, world)
  const nonce = nonces.get(toHex(from)) ?? 0n
  nonces.set(toHex(from), nonce + 1n)
  const data = fromHex(encodeFunctionData({ abi, functionName, args }))
  const result = transact(execution, { to: validatorContractAddress, data, nonce }, from)
  const changes = execution.drainChanges()
  const updates = validatorChanges(world, changes)
  world.apply(changes)
  if (!result.success)
    return { error: decodeErrorResult({ abi, data: toHex(result.output) as `0x${string}` }).errorName }
  const events = result.logs.map((log) => {
    const [first, ...topics] = log.topics.map((topic) => toHex(topic) as `0x${string}`)
    return decodeEventLog({
      abi,
      data: toHex(log.data) as `0x${string}`,
      topics: first ? [first, ...topics] : [],
    })
  })
  return { events, updates }
}

const view = (functionName: string, ...args: readonly unknown[]): unknown => {
  const result = begin(machine, world).call({
    from: mallory,
    to: validatorContractAddress,
    value: 0n,
    data: fromHex(encodeFunctionData({ abi, functionName, args })),
    gasLimit: 10_000_000n,
    gasPrice: 0n,
    accessList: [],
    blobVersionedHashes: [],
    authorizationList: [],
  })
  if (!result.valid) throw new Error(result.reason)
  return decodeFunctionResult({ abi, functionName, data: toHex(result.output) as `0x${string}` })
}

const current = (): readonly Validator[] =>
  readValidatorSet((slot) => world.storage(validatorContractAddress, slot))
const change = (fill: number, power: bigint): ValidatorChange => ({
  publicKey: validator(fill).publicKey,
  power,
})

beforeEach(() => startWith([validator(1), validator(2, 20n), validator(3, 30n)], admin))

describe('the contract of validators, in the hands of its admin', () => {
  it('adds one', () => {
    const { events, updates } = send(admin, 'add', key(4), 40n, rewardOf(4))
    expect(updates).toEqual([change(4, 40n)])
    expect(events?.[0]).toMatchObject({ eventName: 'ValidatorAdded', args: { pubkey: key(4), power: 40n } })
    expect(current()).toEqual([validator(1), validator(2, 20n), validator(3, 30n), validator(4, 40n)])
    expect(view('totalPower')).toBe(100n)
    expect(view('count')).toBe(4n)
  })

  it('removes any of them, and what is left is whole', () => {
    expect(send(admin, 'remove', key(1)).updates).toEqual([change(1, 0n)])
    expect(current()).toEqual([validator(3, 30n), validator(2, 20n)])
    expect(send(admin, 'remove', key(2)).updates).toEqual([change(2, 0n)])
    expect(current()).toEqual([validator(3, 30n)])
    expect(view('totalPower')).toBe(30n)
    expect(view('isValidator', key(1))).toBe(false)
    // A removed validator can come back.
    expect(send(admin, 'add', key(1), 5n, rewardOf(1)).updates).toEqual([change(1, 5n)])
    expect(current()).toEqual([validator(3, 30n), validator(1, 5n)])
  })

  it('changes a power', () => {
    const { events, updates } = send(admin, 'setPower', key(2), 21n)
    expect(updates).toEqual([change(2, 21n)])
    expect(events?.[0]).toMatchObject({ eventName: 'PowerChanged', args: { before: 20n, power: 21n } })
    expect(view('validator', key(2))).toEqual([21n, expect.stringMatching(new RegExp(rewardOf(2), 'i'))])
    expect(view('totalPower')).toBe(61n)
  })

  it('tells the engine nothing of rewards', () => {
    expect(send(admin, 'setReward', key(2), rewardOf(9)).updates).toEqual([])
    expect(current()[1]?.reward).toEqual(validator(9).reward)
  })

  it('is handed over in two steps', () => {
    expect(send(admin, 'offerAdmin', toHex(mallory)).events?.[0]).toMatchObject({ eventName: 'AdminOffered' })
    expect(send(mallory, 'remove', key(1))).toEqual({ error: 'NotAllowed' })
    expect(send(mallory, 'acceptAdmin').events?.[0]).toMatchObject({ eventName: 'AdminChanged' })
    expect(send(admin, 'remove', key(1))).toEqual({ error: 'NotAllowed' })
    expect(send(mallory, 'acceptAdmin')).toEqual({ error: 'NotAllowed' })
    expect(send(mallory, 'remove', key(1)).updates).toEqual([change(1, 0n)])
  })

  it('takes an offer back', () => {
    send(admin, 'offerAdmin', toHex(mallory))
    send(admin, 'offerAdmin', toHex(new Uint8Array(20)))
    expect(send(mallory, 'acceptAdmin')).toEqual({ error: 'NotAllowed' })
  })

  it('shows the whole set', () => {
    const [keys, powers] = view('validators') as [string[], bigint[], string[]]
    expect(keys).toEqual([key(1), key(2), key(3)])
    expect(powers).toEqual([10n, 20n, 30n])
  })
})

describe('the contract of validators rejects', () => {
  const hostile: readonly (readonly [name: string, args: readonly unknown[]])[] = [
    ['add', [key(4), 40n, rewardOf(4)]],
    ['remove', [key(1)]],
    ['setPower', [key(1), 1n]],
    ['setReward', [key(1), rewardOf(4)]],
    ['offerAdmin', [toHex(mallory)]],
    ['acceptAdmin', []],
  ]
  it.each(hostile)('a stranger who calls %s', (name, args) => {
    expect(send(mallory, name, ...args)).toEqual({ error: 'NotAllowed' })
    expect(current()).toEqual([validator(1), validator(2, 20n), validator(3, 30n)])
  })

  it.each(hostile)('everybody who calls %s where the genesis names no admin', (name, args) => {
    startWith([validator(1), validator(2)], undefined)
    expect(send(admin, name, ...args)).toEqual({ error: 'NotAllowed' })
  })

  it('one who has a reward more than to move that reward', () => {
    expect(send(validator(1).reward, 'setReward', key(2), rewardOf(4))).toEqual({ error: 'NotAllowed' })
    expect(send(validator(1).reward, 'setPower', key(1), 1000n)).toEqual({ error: 'NotAllowed' })
    expect(send(validator(1).reward, 'setReward', key(1), rewardOf(4)).events).toHaveLength(1)
    expect(send(validator(1).reward, 'setReward', key(1), rewardOf(5))).toEqual({ error: 'NotAllowed' })
  })

  it.each([
    ['a contract that passes on what its admin sends', '5f', 'f1'],
    ['a contract that borrows its code', '', 'f4'],
  ])('%s', (_, value, call) => {
    const target = toHex(validatorContractAddress).slice(2)
    // Calldata to memory, the call with it, whether it went well as output.
    const forwarder = code(`36 5f 5f 37 5f 5f 36 5f ${value} 73 ${target} 5a ${call} ${returnTop}`)
    world.apply(toStateChanges([account(contract, { nonce: 1n, code: forwarder })]))
    const data = fromHex(encodeFunctionData({ abi, functionName: 'remove', args: [key(1)] }))
    const execution = begin(machine, world)
    const result = transact(execution, { to: contract, data }, admin)
    expect(result.success && toHex(result.output)).toBe(`0x${'00'.repeat(32)}`)
    expect(validatorChanges(world, execution.drainChanges())).toEqual([])
  })

  it('an empty set', () => {
    send(admin, 'remove', key(1))
    send(admin, 'remove', key(2))
    expect(send(admin, 'remove', key(3))).toEqual({ error: 'LastValidator' })
    expect(send(admin, 'setPower', key(3), 0n)).toEqual({ error: 'InvalidPower' })
  })

  it.each([
    ['AlreadyAValidator', 'add', key(1), 1n, rewardOf(1)],
    ['InvalidKey', 'add', key(0), 1n, rewardOf(1)],
    ['InvalidPower', 'add', key(4), 0n, rewardOf(1)],
    ['InvalidReward', 'add', key(4), 1n, toHex(new Uint8Array(20))],
    ['InvalidReward', 'setReward', key(1), toHex(new Uint8Array(20))],
    ['NotAValidator', 'remove', key(4)],
    ['NotAValidator', 'setPower', key(4), 1n],
    ['NotAValidator', 'setReward', key(4), rewardOf(1)],
    ['TotalPowerTooHigh', 'add', key(4), 2n ** 60n - 60n, rewardOf(4)],
    ['TotalPowerTooHigh', 'setPower', key(1), 2n ** 64n - 1n],
  ] as const)('%s: %s', (error, name, ...args) => {
    expect(send(admin, name, ...args)).toEqual({ error })
  })

  it('no power up to the bound of the engine', () => {
    expect(send(admin, 'add', key(4), 2n ** 60n - 61n, rewardOf(4)).updates).toHaveLength(1)
    expect(send(admin, 'setPower', key(1), 11n)).toEqual({ error: 'TotalPowerTooHigh' })
  })

  it('more validators than the engine is asked to carry', () => {
    const many = Array.from({ length: 1000 }, (_, index) => ({
      ...validator(1),
      publicKey: Buffer.from((index + 1).toString(16).padStart(64, '0'), 'hex'),
    }))
    startWith(many, admin)
    expect(send(admin, 'add', key(0xee), 1n, rewardOf(1))).toEqual({ error: 'TooManyValidators' })
    expect(send(admin, 'remove', toHex(many[0]?.publicKey as Uint8Array)).updates).toHaveLength(1)
    expect(send(admin, 'add', key(0xee), 1n, rewardOf(1)).updates).toHaveLength(1)
  })
})

describe('validatorChanges', () => {
  it('reads nothing for a block that leaves the contract alone', () => {
    const unread = {
      storage: (): never => {
        throw new Error('nothing is to be read')
      },
    }
    expect(validatorChanges(unread, toStateChanges([account(mallory, { balance: 1n })]))).toEqual([])
    expect(
      validatorChanges(unread, toStateChanges([account(validatorContractAddress, { balance: 1n })])),
    ).toEqual([])
  })
})
