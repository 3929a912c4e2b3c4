import { method } from './method.ts'
import { alice, pendingTransaction } from './samples.ts'
import { notYet } from './unsupported.ts'
import { PoolContent, PoolStatus, PoolSummary } from './wire/results.ts'

export const txpoolMethods = [
  method({
    name: 'txpool_content',
    summary: 'Gives every transaction of the pool in full, by sender and nonce.',
    access: 'public',
    params: [],
    result: { name: 'content', type: PoolContent },
    examples: [
      {
        name: 'one waits',
        params: [],
        result: { pending: { [alice]: { '0': pendingTransaction } }, queued: {} },
      },
    ],
    handler: notYet,
  }),
  method({
    name: 'txpool_inspect',
    summary: 'Gives every transaction of the pool as one line of text, by sender and nonce.',
    access: 'public',
    params: [],
    result: { name: 'summary', type: PoolSummary },
    examples: [
      {
        name: 'one waits',
        params: [],
        result: {
          pending: {
            [alice]: {
              '0': '0x70997970C51812dc3A010C7d01b50e0d17dc79C8: 1000000000000000000 wei + 21000 gas × 2000000000 wei',
            },
          },
          queued: {},
        },
      },
    ],
    handler: notYet,
  }),
  method({
    name: 'txpool_status',
    summary: 'Counts the transactions of the pool: those that can run next, and those that wait for others.',
    access: 'public',
    params: [],
    result: { name: 'status', type: PoolStatus },
    examples: [{ name: 'one waits', params: [], result: { pending: '0x1', queued: '0x0' } }],
    handler: notYet,
  }),
]
