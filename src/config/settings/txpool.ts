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
    about: 'How many transactions of an account may wait for earlier ones. Further ones are rejected.',
  }),
  'global-slots': setting({
    kind: integer({ min: 1 }),
    default: 5120,
    about:
      'The room for pending transactions, in slots of 32 KiB. When it is full, the transactions that pay ' +
      'least are dropped.',
  }),
  'global-queue': setting({
    kind: integer({ min: 0 }),
    default: 1024,
    about: 'The room for transactions that wait for earlier ones, in slots of 32 KiB.',
  }),
  'parked-bytes': setting({
    kind: byteSize(),
    default: 64 * 1024 * 1024,
    about:
      "How many bytes of clients' transactions may be parked, because the pool is full or the sender " +
      'cannot pay now. Above it the pool accepts from clients only what the next block could hold; above ' +
      'twice as much it accepts nothing.',
  }),
  order: setting({
    kind: choice('fees', 'fifo'),
    default: 'fees',
    about:
      'The order of transactions in a block made here: highest fee first (fees) or first come (fifo). ' +
      'Transactions of one account keep the order of their nonces.',
  }),
  'price-bump': setting({
    kind: bigInteger({ min: 1, max: 1000 }),
    default: 10n,
    about:
      'By how many per cent the fees must rise for a transaction to replace another one with the same ' +
      'nonce.',
  }),
  lifetime: setting({
    kind: duration(),
    default: 10_800_000,
    about: 'How long a transaction may wait for earlier ones before it is dropped.',
  }),
  'pending-lifetime': setting({
    kind: duration(),
    default: 86_400_000,
    about:
      'How long a transaction may stay in the pool without getting into a block, for instance because it ' +
      'pays too little, before it is dropped.',
  }),
}
