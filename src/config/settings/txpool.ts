import { choice } from '../kinds/basic.ts'
import { bigInteger, byteSize, duration, integer } from '../kinds/numbers.ts'
import { setting } from './setting.ts'

/** The settings of `[txpool]`, about the limits of the pool. */
export const txpool = {
  'account-slots': setting({
    kind: integer({ min: 1 }),
    default: 16,
    about:
      'How many pending transactions an account keeps when the pool is full, as long as others do not pay more.',
  }),
  'account-queue': setting({
    kind: integer({ min: 0 }),
    default: 64,
    about: 'How many transactions of an account may wait for ones before them. Further ones are refused.',
  }),
  'global-slots': setting({
    kind: integer({ min: 1 }),
    default: 5120,
    about:
      'The room for pending transactions, in slots of 32 KiB. When it is full, who pays least has to leave.',
  }),
  'global-queue': setting({
    kind: integer({ min: 0 }),
    default: 1024,
    about: 'The room for transactions that wait for ones before them, in slots of 32 KiB.',
  }),
  'parked-bytes': setting({
    kind: byteSize(),
    default: 64 * 1024 * 1024,
    about:
      'How much of what clients sent may be parked: there is no room for it in the pool, or its sender cannot pay it now. ' +
      'Above it only what the next block could hold is taken from clients, above twice as much nothing.',
  }),
  order: setting({
    kind: choice('fees', 'fifo'),
    default: 'fees',
    about:
      'Whose transactions are first in a block made here: of those who pay most (fees), or of those who came first ' +
      '(fifo). Those of one account keep the order of their nonces.',
  }),
  'price-bump': setting({
    kind: bigInteger({ min: 1, max: 1000 }),
    default: 10n,
    about: 'By how many per cent the fees must rise for a transaction to replace one with the same nonce.',
  }),
  lifetime: setting({
    kind: duration(),
    default: 10_800_000,
    about: 'How long a transaction may wait for ones before it. It is dropped after that.',
  }),
  'pending-lifetime': setting({
    kind: duration(),
    default: 86_400_000,
    about:
      'How long a transaction may be in the pool without getting into a block, for instance because it pays too little. It is dropped after that.',
  }),
}
