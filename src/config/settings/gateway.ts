import { familyNames } from '../gen/choiceNames.ts'
import { boolean, booleanOr, choice, text, unless, unlessEmpty } from '../kinds/basic.ts'
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
      'The RPC of the nodes of the chain behind the gateway, the preferred one first; also --node, once ' +
      'for each. All must be of one chain. A node that fails gets no requests until it responds again.',
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
      'Which requests the same nodes get, in the same order: head (new blocks, newest states), archive ' +
      '(old ones), send (transactions), joined by +, or all, which is the default. Transactions go only ' +
      'to nodes with send; other requests prefer the right role.',
  }),
  weights: setting({
    kind: list({ item: /^\d{1,4}$/, wanted: 'whole numbers such as 3, 1, 0' }),
    default: [],
    about:
      'The shares of the same nodes in the requests, in the same order. The default is 1; a node with 0 ' +
      'gets requests only if no other node can respond. Empty: the first node that can respond gets all.',
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
      'How many blocks a node may be behind the furthest one. Beyond that it gets requests about the ' +
      'newest state only if no other node can respond.',
  }),
  'hedge-after': setting({
    kind: duration({ min: 0 }),
    default: 1_000,
    about:
      'After how long a request is also sent to a second node, for one request in ten at most; the first ' +
      'response counts. 0ms: never. Transactions are never sent to two nodes at once.',
  }),
  'sends-while-away': setting({
    kind: choice('keep', 'refuse'),
    default: 'keep',
    about:
      'What happens to transactions while no node responds: "keep" stores them in the journal and sends ' +
      'them later; "refuse" rejects them with -32002.',
  }),
  database: setting({
    kind: unlessEmpty(databaseUrl()),
    default: undefined,
    isSecret: true,
    about:
      'The PostgreSQL database that the gateways of a fleet share: acknowledged transactions, filters of ' +
      'clients, and the list of members. Empty: this gateway is alone and uses its own files.',
  }),
  'ready-needs-database': setting({
    kind: boolean(),
    default: false,
    about:
      'Whether /ready is 503 with the reason database while the database of the fleet is unreachable. It ' +
      'is unreachable for all gateways at once, and a balancer that then removes all of them also stops ' +
      'reads, which need no database.',
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
    about: 'The family of the chain; auto detects it.',
  }),
  'chain-id': setting({
    kind: unless(0n, bigInteger({ min: 0 })),
    default: undefined,
    about:
      'The chain id of the EVM (EIP-155), also --chain-id; 0 asks the chain. An id that differs from that of the nodes is rejected.',
  }),
  'native-chain-id': setting({
    kind: unlessEmpty(text({ wanted: 'the name of a chain such as evmos_9001-2' })),
    default: undefined,
    about:
      "CometBFT's name of the chain: nodes of another chain are not used. Empty takes that of the first " +
      'node.',
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
      "The package of the messages and queries of the chain's EVM module, if the chain uses its own; " +
      'empty tries the known ones.',
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
      "Proves each block by its validators' signatures before it is served. Without it the hashes of " +
      'blocks are checked, and the gateway believes that they belong to the chain.',
  }),
  'trust-height': setting({
    kind: unless(0, integer({ min: 0 })),
    default: undefined,
    about:
      'The height of a block that you know to be of the chain, from which others are proven; with ' +
      'trust-hash. 0 trusts the newest block that two nodes agree on, and logs it.',
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
      'How old the newest proven block may be, after a time offline, to prove newer ones: less than the ' +
      "time for which validators' stakes stay bonded, 21 days on most chains. 0s means no limit.",
  }),
  'hold-newest': setting({
    kind: boolean(),
    default: false,
    about:
      'Serves each block only when the next one has proven its results: one block late, and nothing is ' +
      'believed.',
  }),
  'verify-state': setting({
    kind: booleanOr('calls'),
    default: false,
    about:
      'Proves balances, nonces, code and storage: each is requested with its proof, which must lead to ' +
      'the AppHash of the next header. Takes two to four calls of a node for each such request instead of' +
      ' one. calls: also executes eth_call, estimates, access lists and simulations here, on proven states; ' +
      'only for chains of this program.',
  }),
  'query-timeout': setting({
    kind: duration(),
    default: 10_000,
    about: 'The longest time for one request to the nodes of the chain, over all nodes that are tried.',
  }),
  'cache-size': setting({
    kind: byteSize({ min: 0 }),
    default: 64_000_000,
    about: 'The memory, in bytes, for responses of the chain about old states, which never change.',
  }),
  'cosmos-view': setting({
    kind: boolean(),
    default: false,
    about:
      "Shows Cosmos transactions as synthetic ones behind a block's Ethereum ones, and their events as logs; also " +
      '--cosmos-view. Hashes, roots and gas of blocks stay those of the default view.',
  }),
}
