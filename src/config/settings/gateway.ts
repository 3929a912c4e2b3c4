import { familyNames } from '../gen/choiceNames.ts'
import { boolean, choice, text, unless, unlessEmpty } from '../kinds/basic.ts'
import { list } from '../kinds/lists.ts'
import { bigInteger, byteSize, duration, integer } from '../kinds/numbers.ts'
import { databaseUrl, fileOrUrl, headersOfHosts } from '../kinds/remote.ts'
import { setting } from './setting.ts'

const isAddress = (text: string): boolean => URL.canParse(`http://${text}`)

/** The settings of `[gateway]`, about the chain behind the gateway. */
export const gateway = {
  node: setting({
    kind: list({
      item: /^https?:\/\/[^\s,/]+(?:\/[^\s,]*)?$/,
      wanted: 'URLs of CometBFT such as http://host:26657',
      // A fragment is never sent.
      isValid: (text) => URL.canParse(text) && new URL(text).hash === '',
    }),
    default: [],
    isUrl: true,
    about:
      'The RPC of the nodes of the chain behind the gateway, the preferred one first; also --node, once for each. All ' +
      'must be of one chain. A node that fails is passed over until it answers again.',
  }),
  grpc: setting({
    kind: list({
      item: /^[^\s,/@?#]+:\d{1,5}$/,
      wanted: 'addresses such as host:9090',
      isValid: isAddress,
    }),
    default: [],
    isUrl: true,
    about:
      'The gRPC of the same nodes, in the same order; also --grpc, once for each. Without it queries go through ' +
      'CometBFT, where a slow call holds up others.',
  }),
  roles: setting({
    kind: list({
      item: /^(?:all|(?:head|archive|send)(?:\+(?:head|archive|send)){0,2})$/,
      wanted: 'roles such as head+send, archive or all',
    }),
    default: [],
    about:
      'What the same nodes are asked for, in the same order: head (new blocks, newest states), archive (old ones), send ' +
      '(transactions), joined by +, or all, which those have that are not named. Transactions go only to nodes with send; ' +
      'questions prefer the right role.',
  }),
  weights: setting({
    kind: list({ item: /^\d{1,4}$/, wanted: 'whole numbers such as 3, 1, 0' }),
    default: [],
    about:
      'The shares of the same nodes in the questions, in the same order; a node that is not named has 1, one with 0 is asked ' +
      'only if no other can answer. Empty: the first node that can answer gets all.',
  }),
  header: setting({
    kind: headersOfHosts(),
    default: [],
    isSecret: true,
    about:
      'Headers of the requests to nodes, such as keys, each as "host Name: value"; without a host it goes to all nodes. They ' +
      'are never shown.',
  }),
  'max-lag': setting({
    kind: integer({ min: 1 }),
    default: 20,
    about:
      'How many blocks a node may be behind the furthest one; beyond that it is asked for the newest only if no other can ' +
      'answer.',
  }),
  'hedge-after': setting({
    kind: duration({ min: 0 }),
    default: 1_000,
    about:
      'How long a question may take before another node is asked beside, for one question in ten at most; the first answer ' +
      'counts. 0ms: never. Transactions are never sent to two at once.',
  }),
  'sends-while-away': setting({
    kind: choice('keep', 'refuse'),
    default: 'keep',
    about:
      'While no node answers: keep takes transactions into the journal and sends them later, refuse answers them with -32002.',
  }),
  database: setting({
    kind: unlessEmpty(databaseUrl()),
    default: undefined,
    isSecret: true,
    about:
      'The PostgreSQL database that the gateways of a fleet share: they keep there what they have acknowledged, the filters of ' +
      'clients, and which of them are there. Empty: this gateway is alone, with files of its own.',
  }),
  'ready-needs-database': setting({
    kind: boolean(),
    default: false,
    about:
      'Whether /ready is 503 with the reason database while the database of the fleet is away. It is away for all gateways at ' +
      'once, and a balancer that takes all of them away fails the reads too, which need no database.',
  }),
  bootstrap: setting({
    kind: unlessEmpty(fileOrUrl()),
    default: undefined,
    isSecret: true,
    about:
      'The snapshot of another gateway with whose blocks a new home begins: a file that perihelion snapshot export made, or the ' +
      'URL of one; also --bootstrap. A home that has blocks does not use it.',
  }),
  from: setting({
    kind: unless(0, integer({ min: 0 })),
    default: undefined,
    about:
      'The height at which a new home begins; also --from. 0 means the earliest that a node has. Older blocks, ' +
      'transactions and logs are not found.',
  }),
  family: setting({
    kind: unless('auto', choice('auto', ...familyNames)),
    default: undefined,
    about: 'Whose words the chain speaks; auto asks it.',
  }),
  'chain-id': setting({
    kind: unless(0n, bigInteger({ min: 0 })),
    default: undefined,
    about:
      'The chain id of the EVM (EIP-155), also --chain-id; 0 asks the chain. Another one than the nodes tell is refused.',
  }),
  'native-chain-id': setting({
    kind: unlessEmpty(text({ wanted: 'the name of a chain such as evmos_9001-2' })),
    default: undefined,
    about:
      "CometBFT's name of the chain: nodes of another one are not used. Empty takes that of the first node.",
  }),
  forks: setting({
    kind: unlessEmpty(text({ wanted: 'a path' })),
    default: undefined,
    about:
      'A file with the forks of the chain, as the config object of a genesis file of geth; empty asks the chain.',
  }),
  'fee-denom': setting({
    kind: unlessEmpty(text({ wanted: 'a denomination' })),
    default: undefined,
    about: 'The denomination, with 18 decimals, in which fees are paid; empty asks the chain.',
  }),
  decimals: setting({
    kind: unless(0, integer({ min: 0, max: 18 })),
    default: undefined,
    about: "The decimals of the chain's coin; 0 asks the chain.",
  }),
  'bech32-prefix': setting({
    kind: unlessEmpty(text({ wanted: 'a prefix such as cosmos' })),
    default: undefined,
    about: 'The prefix of accounts of the chain; empty asks the chain.',
  }),
  'evm-package': setting({
    kind: unlessEmpty(text({ wanted: 'a package such as ethermint.evm.v1' })),
    default: undefined,
    about:
      "The package of the messages and queries of the chain's EVM module, where it has one of its own; empty tries those that are known.",
  }),
  'earliest-state': setting({
    kind: unless(0, integer({ min: 0 })),
    default: undefined,
    about: 'The lowest height whose state a node has; 0 asks the chain.',
  }),
  verify: setting({
    kind: boolean(),
    default: true,
    about:
      "Proves each block by its validators' signatures before it is served. Without it blocks are checked for their hashes " +
      'and believed to be of the chain.',
  }),
  'trust-height': setting({
    kind: unless(0, integer({ min: 0 })),
    default: undefined,
    about:
      'The height of a block that you know to be of the chain, by which others are proven; with trust-hash. 0 trusts the ' +
      'newest block that the first node that is asked and another one have, which the log says.',
  }),
  'trust-hash': setting({
    kind: unlessEmpty(
      text({ wanted: "CometBFT's hash of a block, 64 hex digits", pattern: /^(?:0x)?[0-9a-fA-F]{64}$/ }),
    ),
    default: undefined,
    about: "CometBFT's hash of the block of trust-height.",
  }),
  'trusting-period': setting({
    kind: unless(0, duration({ min: 0 })),
    default: 14 * 24 * 3_600_000,
    about:
      'How old the newest proven block may be, after a time away, for newer ones to be proven by it: less than the time for ' +
      "which validators' stakes stay bonded, 21 days on most chains. 0s means without end.",
  }),
  'hold-newest': setting({
    kind: boolean(),
    default: false,
    about:
      'Serves each block only when the next one has proven its results, so that nothing is believed: one block late.',
  }),
  'verify-state': setting({
    kind: boolean(),
    default: false,
    about:
      'Proves balances, nonces, code and storage: each is asked for with its proof, which has to lead to the AppHash of the ' +
      'next header. Two to four calls of a node for each such answer instead of one.',
  }),
  'query-timeout': setting({
    kind: duration(),
    default: 10_000,
    about: 'The longest time for one question to the nodes of the chain, all that are tried together.',
  }),
  'cache-size': setting({
    kind: byteSize({ min: 0 }),
    default: 64_000_000,
    about: 'The memory, in bytes, for answers of the chain about states, which never change.',
  }),
  'cosmos-view': setting({
    kind: boolean(),
    default: false,
    about:
      "Shows Cosmos transactions as synthetic ones behind a block's Ethereum ones, and their events as logs; also " +
      '--cosmos-view. Hashes, roots and gas of blocks stay those of the default view.',
  }),
}
