import { expect, test } from 'vitest'
import { type Account, encodeAccount } from '../../../test/support/fakeMempool.ts'
import { reject } from '../../pool/admission/rejections.ts'
import type { AddResult, PoolTransaction } from '../../pool/types.ts'
import { SecondOpinions } from './secondOpinions.ts'
import { type SenderAccount, SenderAccounts } from './senderAccounts.ts'

const sender = new Uint8Array(20).fill(1)
const rich: Account = { nonce: 0n, balance: 10n }
const poor: Account = { nonce: 0n, balance: 0n }

/** The first node tells the account for which transactions are rejected. */
const open = (...told: (() => Account | Promise<Account>)[]) => {
  const head = { height: 5 }
  const asked: string[] = []
  const pooled: { account: SenderAccount | undefined } = { account: undefined }
  const nodes = told.map((account, index) => ({
    name: `node ${index}`,
    query: async () => {
      asked.push(`node ${index}`)
      return encodeAccount(await account())
    },
  }))
  const accounts = new SenderAccounts(
    { evmPackage: 'cosmos.evm.vm.v1', timeoutMs: 60_000, maxKnown: 10, maxConcurrent: 2 },
    {
      queries: { query: async () => encodeAccount(await told[0]?.()) },
      nodesAlone: () => nodes,
      height: () => head.height,
      isFollowed: () => false,
      closing: new AbortController().signal,
    },
  )
  const opinions = new SecondOpinions({
    accounts,
    pooled: () => pooled.account,
    onReplaced: (_, account) => {
      if (pooled.account !== undefined) pooled.account = account
    },
    quarantine: () => {},
  })
  const taken: AddResult = { transaction: {} as PoolTransaction } // nobody looks into it
  const submit = async (cost: bigint): Promise<AddResult> => {
    await accounts.load(sender)
    const { balance } = pooled.account ?? accounts.get(sender)
    return balance < cost ? { rejection: reject('insufficientFunds', balance, cost) } : taken
  }
  /** Sends a transaction as the pool of a gateway does. */
  const send = async (cost: bigint, again = () => submit(cost)): Promise<string> => {
    const result = await submit(cost)
    const { rejection } =
      result.rejection === undefined ? result : await opinions.resubmit(sender, result, again)
    return rejection?.kind ?? 'taken'
  }
  return { head, asked, pooled, accounts, send, submit }
}

test('transactions that come at the same time wait for the same answers', async () => {
  const { asked, send } = open(
    () => poor,
    () => rich,
    () => rich,
  )
  expect(await Promise.all([send(1n), send(2n), send(30n), send(3n)])).toEqual([
    'taken',
    'taken',
    'insufficientFunds',
    'taken',
  ])
  expect(asked).toEqual(['node 0', 'node 1', 'node 2'])
})

test('a transaction that all reject leaves the responses to the next one', async () => {
  const { asked, send } = open(
    () => poor,
    () => rich,
  )
  expect(await send(30n)).toBe('insufficientFunds')
  expect(await send(1n)).toBe('taken')
  expect(asked).toEqual(['node 0', 'node 1'])
})

test.each([undefined, { ...poor, codeKind: 'none' as const }])(
  'the account is as it was if a submission fails (the pool has %o)',
  async (known) => {
    const { accounts, pooled, send, submit } = open(
      () => poor,
      () => rich,
    )
    pooled.account = known
    let count = 0
    const fail = async (): Promise<AddResult> => {
      if (++count === 2) throw new Error('the disk is full')
      return submit(1n)
    }
    await expect(send(1n, fail)).rejects.toThrow('the disk is full')
    expect(count).toBe(2)
    expect(accounts.get(sender)).toMatchObject(poor)
    expect(pooled.account).toEqual(known)
  },
)

test('an account that the pool had before a block is not put back after it', async () => {
  const { pooled, send, submit } = open(
    () => poor,
    () => rich,
  )
  pooled.account = { ...poor, codeKind: 'none' }
  const moved = { nonce: 1n, balance: 5n, codeKind: 'none' } as const
  const followed = async (): Promise<AddResult> => {
    const result = await submit(30n)
    if (pooled.account?.balance === rich.balance) pooled.account = moved
    return result
  }
  expect(await send(30n, followed)).toBe('insufficientFunds')
  expect(pooled.account).toEqual(moved)
})

test('nodes are asked again if a head comes while they are', async () => {
  const { head, asked, send } = open(
    () => poor,
    () => {
      if (head.height === 5) head.height++
      return rich
    },
  )
  expect(await send(1n)).toBe('taken')
  expect(asked).toEqual(['node 0', 'node 1', 'node 0', 'node 1'])
})

test('heads that come faster than nodes answer do not have them asked forever', async () => {
  const { head, asked, send } = open(
    () => poor,
    () => {
      head.height++
      return rich
    },
  )
  expect(await send(1n)).toBe('insufficientFunds')
  expect(asked.filter((node) => node === 'node 1')).toHaveLength(3)
})
