import type { ChainFacts } from './chainFacts.ts'

/** Values as clients send them, right and wrong, of each kind that parameters have. */

export const address = (number: number): string => `0x${number.toString(16).padStart(40, '0')}`
export const word = (number: number | bigint): string => `0x${number.toString(16).padStart(64, '0')}`

export const unknownHash = word(0xdead)
export const unknownAddress = address(0xdead99)
/** A contract of the chain with two slots, and one that stores. */
export const storing = address(0x2002)

export const wrongTypes: readonly unknown[] = [1, -1, 1.5, true, [], {}, '', 'x', '0x', '0xzz', null]

export const quantities: readonly unknown[] = [
  '0x0',
  '0x1',
  '0x01',
  '0X1',
  '0xffffffffffffffff',
  '0x10000000000000000',
  `0x${'f'.repeat(64)}`,
  `0x1${'0'.repeat(64)}`,
  '10',
  '-0x1',
  '0x-1',
  ' 0x1',
  ...wrongTypes,
]

export const addressValues = ({ sender }: ChainFacts): readonly unknown[] => [
  sender,
  sender.toUpperCase().replace('0X', '0x'),
  sender.toUpperCase(),
  sender.slice(2),
  sender.slice(0, -1),
  sender.slice(0, -2),
  `${sender}00`,
  storing,
  unknownAddress,
  address(0),
  address(1),
  address(0xa),
  address(0x100),
  ...wrongTypes,
]

export const hashValues = ({ head, transactions }: ChainFacts): readonly unknown[] => [
  ...transactions,
  head.hash,
  head.hash.toUpperCase().replace('0X', '0x'),
  head.hash.slice(2),
  head.hash.slice(0, -1),
  `${head.hash}00`,
  unknownHash,
  word(0),
  ...wrongTypes,
]

/** What names a block by number or tag. */
export const heights = ({ head, blocks }: ChainFacts): readonly unknown[] => [
  ...['latest', 'earliest', 'safe', 'finalized'],
  ...blocks.map(({ number }) => number),
  `0x${(Number(head.number) + 1).toString(16)}`,
  ...['0x7fffffffffffffff', '0x8000000000000000', '0xfffffffffffffffe', '0xffffffffffffffff'],
  ...['0x10000000000000000', '0x01', '0x00', '0X1', '1', '10', ' latest', 'LATEST', 'newest'],
  ...wrongTypes,
]

/** What names a block in any way. */
export const blockRefs = (facts: ChainFacts): readonly unknown[] => {
  const { head, blocks } = facts
  const [, first] = blocks
  return [
    ...heights(facts),
    ...[head.hash, first?.hash, unknownHash, head.hash.slice(2), head.hash.slice(0, -2)],
    { blockNumber: '0x1' },
    { blockNumber: 'latest' },
    { blockNumber: 1 },
    { blockNumber: '0xffff' },
    { blockNumber: null, blockHash: head.hash },
    { blockHash: head.hash },
    { blockHash: head.hash, requireCanonical: true },
    { blockHash: first?.hash, requireCanonical: false },
    { blockHash: unknownHash },
    { blockHash: unknownHash, requireCanonical: true },
    { blockHash: head.hash, requireCanonical: 'yes' },
    { blockHash: head.hash.slice(0, 20) },
    { blockHash: head.hash, blockNumber: '0x1' },
    { number: '0x1' },
  ]
}
