import { expect, it } from 'vitest'
import type { InvalidReason } from '../../chain/transaction/invalidReason.ts'
import { findWronglyPooled } from './wronglyPooled.ts'

const hashOf = (index: number): Uint8Array => new Uint8Array(32).fill(index)
/** Transactions with the hashes 1, 2 and so on, of these senders. */
const transactionsOf = (senders: readonly number[]) =>
  senders.map((sender, index) => ({
    raw: new Uint8Array(0),
    hash: hashOf(index + 1),
    sender: new Uint8Array(20).fill(sender),
  }))
const wrongOf = (
  senders: readonly number[],
  included: readonly number[],
  rejected: readonly (readonly [number, InvalidReason])[],
): readonly number[] =>
  findWronglyPooled(transactionsOf(senders), {
    included: included.map(hashOf),
    rejected: rejected.map(([index, reason]) => ({ hash: hashOf(index), reason })),
  }).map(({ hash }) => hash[0] as number)

it('keeps what a full block had no room for, and what came behind it', () => {
  const rejected = [
    [2, 'gas limit reached'],
    [3, 'nonce too high'],
  ] as const
  expect(wrongOf([1, 2, 2], [1], rejected)).toEqual([])
})

it('gives up what an empty block has no room for', () => {
  expect(wrongOf([1], [], [[1, 'gas limit reached']])).toEqual([1])
})

it('gives up what is invalid, and not what came behind it', () => {
  const rejected = [
    [1, 'invalid deposit log'],
    [2, 'nonce too high'],
  ] as const
  expect(wrongOf([1, 1], [], rejected)).toEqual([1])
})

it('gives up what has a wrong nonce of its own', () => {
  const rejected = [
    [1, 'invalid deposit log'],
    [2, 'nonce too high'],
  ] as const
  expect(wrongOf([1, 2], [], rejected)).toEqual([1, 2])
})

it('keeps what could not be paid at its place behind others, and gives it up alone', () => {
  const rejected = [[2, 'insufficient funds for gas * price + value']] as const
  expect(wrongOf([1, 2], [1], rejected)).toEqual([])
  expect(wrongOf([1, 2], [], rejected)).toEqual([2])
})
