import { engineNames } from '../../home/gen/engineNames.ts'
import { forkNames } from '../gen/choiceNames.ts'
import { abciAddress, hostAndPort, httpUrl } from '../kinds/addresses.ts'
import { autoBoolean, boolean, choice, text, unless, unlessEmpty } from '../kinds/basic.ts'
import { address, mnemonic, nameIn } from '../kinds/chain.ts'
import { peerIds, peers } from '../kinds/lists.ts'
import { bigInteger, byteSize, duration, gasPrice, integer } from '../kinds/numbers.ts'
import { setting } from './setting.ts'

/** The settings above the first section of app.toml. */
export const general = {
  home: setting({
    kind: text({ wanted: 'a folder', min: 1 }),
    default: '~/.perihelion',
    about: 'The folder of this node: its configuration, keys and data. It is made on the first start.',
    notInFile: true,
  }),
  artifacts: setting({
    kind: unlessEmpty(text({ wanted: 'a folder' })),
    default: undefined,
    about:
      'The output folder of a compiler (out/ of Foundry, artifacts/ of Hardhat), which a dev chain reads ' +
      'and watches: it shows failures with their stack in the source, and the explorer and the terminal ' +
      'know the contracts. Empty: none.',
  }),
  'minimum-gas-prices': setting({
    kind: gasPrice(),
    default: 0n,
    about:
      'The lowest price for a unit of gas, in wei, at which this node accepts a transaction; cheaper ones are rejected. ' +
      'miner_setGasPrice writes it here for the next start.',
  }),
  'ipc-path': setting({
    kind: unlessEmpty(text({ wanted: 'a path' })),
    default: undefined,
    about:
      'The path of the IPC socket, at most 107 bytes; empty means perihelion.ipc in the home folder. ' +
      'Whoever can open the socket may call private methods.',
  }),
  dev: setting({
    kind: autoBoolean(),
    default: undefined,
    about:
      'The profile for development: all namespaces with the dev methods, unlocked accounts, and calls ' +
      'from web pages on any port of localhost. auto turns it on if the solo engine runs the dev chain. A' +
      ' home whose chain began with another genesis rejects it.',
  }),
  engine: setting({
    kind: choice(...engineNames),
    default: 'solo',
    about:
      'Which engine produces blocks: solo produces them in this process; with cometbft validators decide ' +
      'them through a CometBFT process; none produces none, so that a home is only served and its pool ' +
      'only filled. A home keeps its engine and rejects another one.',
  }),
  cometbft: setting({
    kind: text({ wanted: 'a path' }),
    default: '',
    about:
      'The CometBFT program that this node starts; empty means the one on the path, or else one that is installed ' +
      'with the Go toolchain.',
  }),
  'abci-address': setting({
    kind: unlessEmpty(abciAddress()),
    default: undefined,
    about:
      'The address of the application for a CometBFT that you run yourself; empty means that this node ' +
      'starts CometBFT. Whoever can connect decides what the chain holds: never use an address that ' +
      'others can reach.',
  }),
  'engine-rpc': setting({
    kind: httpUrl(),
    default: 'http://127.0.0.1:26657',
    isUrl: true,
    about:
      'The RPC address of CometBFT: where to reach it if you run it yourself, otherwise where it listens.' +
      ' This setting and those of peers below are written to its config.toml at each start; settings that' +
      ' are not given keep the value in that file.',
  }),
  'engine-p2p': setting({
    kind: hostAndPort(),
    default: '0.0.0.0:26656',
    about: 'Where CometBFT listens for its peers.',
  }),
  'engine-metrics': setting({
    kind: unlessEmpty(hostAndPort()),
    default: undefined,
    about: 'The address at which CometBFT serves its own metrics; empty: none.',
  }),
  'persistent-peers': setting({
    kind: peers(),
    default: [],
    isReloadable: true,
    about: 'The nodes to which CometBFT keeps a connection.',
  }),
  seeds: setting({
    kind: peers(),
    default: [],
    about: 'The nodes that CometBFT asks for the addresses of others.',
  }),
  'private-peers': setting({
    kind: peerIds(),
    default: [],
    about: 'The ids of nodes that CometBFT reports to no other node: on a sentry, that of its validator.',
  }),
  'unconditional-peers': setting({
    kind: peerIds(),
    default: [],
    about:
      'The ids of nodes that CometBFT connects with however many peers it has: a validator and its sentries.',
  }),
  'peer-exchange': setting({
    kind: boolean(),
    default: true,
    about:
      'Whether CometBFT asks its peers for others: not on a validator that speaks to its sentries alone.',
  }),
  'external-address': setting({
    kind: unlessEmpty(hostAndPort()),
    default: undefined,
    about: 'The address that CometBFT gives to its peers; empty: the one on which it listens.',
  }),
  'priv-validator-laddr': setting({
    kind: unlessEmpty(abciAddress()),
    default: undefined,
    about:
      'Where a remote signer connects to CometBFT, tcp://host:port or unix:///path. The signer then has ' +
      'the key of the validator, and the key file of the home is not used. Empty: the key is in the home.',
  }),
  genesis: setting({
    kind: unlessEmpty(text({ wanted: 'a path' })),
    default: undefined,
    about:
      'The genesis file, in the format of geth, with which an empty home begins; empty means the dev genesis. ' +
      'A home that has a chain must have begun with the same one, and keeps it (config/genesis.json) for starts that name none.',
  }),
  'chain-id': setting({
    kind: bigInteger({ min: 1 }),
    default: 31_337n,
    about: 'The chain id of the dev genesis (EIP-155).',
  }),
  'fork-name': setting({
    kind: nameIn(forkNames, 'the name of a fork such as prague'),
    default: 'osaka',
    about: 'The rules of the dev genesis, from block 0 on: the name of an Ethereum fork in camelCase.',
  }),
  accounts: setting({
    kind: integer({ min: 0, max: 1000 }),
    default: 10,
    about: 'How many accounts of the mnemonic the dev profile unlocks and the dev genesis funds.',
  }),
  mnemonic: setting({
    kind: mnemonic(),
    default: 'test test test test test test test test test test test junk',
    about:
      'The words from which the dev accounts are derived. The default is public: never use it for value.',
    isSecret: true,
  }),
  'derivation-path': setting({
    kind: text({
      wanted: "a path such as m/44'/60'/0'/0",
      pattern: /^m(?:\/(?:0|[1-9]\d{0,8})'?)*\/?$/,
    }),
    default: "m/44'/60'/0'/0",
    about: 'The path (BIP-32) in the tree of the mnemonic under which the dev accounts are numbered.',
  }),
  balance: setting({
    kind: bigInteger({ min: 0 }),
    default: 10_000n,
    about: 'The balance of each dev account in the dev genesis, in whole coins.',
  }),
  'genesis-gas-limit': setting({
    kind: bigInteger({ min: 5000 }),
    default: 60_000_000n,
    about: 'The gas limit of the blocks of a chain that begins with the dev genesis.',
  }),
  'genesis-code-size': setting({
    kind: integer({ min: 1, max: 262_144 }),
    default: 24_576,
    about:
      'The bytes that a contract may have on a chain that begins with the dev genesis (EIP-170); init code has twice as many. With CometBFT at most 49152.',
  }),
  'genesis-transaction-gas': setting({
    kind: unless(0n, bigInteger({ min: 0 })),
    default: 16_777_216n,
    about:
      'The gas that a transaction may have from Osaka on, on a chain that begins with the dev genesis (EIP-7825); 0 means as ' +
      'much as a block, at most 1000000000.',
  }),
  'genesis-base-fee': setting({
    kind: gasPrice(),
    default: 1_000_000_000n,
    about: 'The base fee of the dev genesis, in wei per unit of gas.',
  }),
  'genesis-time': setting({
    kind: unless(0, integer({ min: 0 })),
    default: undefined,
    about: 'The time of the dev genesis, in seconds since 1970; 0 means the time of the first start.',
  }),
  coinbase: setting({
    kind: unlessEmpty(address()),
    default: undefined,
    about:
      'The address that receives the tips of the blocks made here; empty means the account of the mnemonic after the tenth on ' +
      'the dev chain, the reward of this validator in the contract of validators, or else the coinbase of the genesis. ' +
      'miner_setEtherbase changes it at run time and writes it here.',
  }),
  'block-time': setting({
    kind: unless(0, duration({ min: 0 })),
    default: undefined,
    about:
      'The time between two blocks; 0 makes a block as soon as there is a transaction. With CometBFT: ' +
      'its pause after each block, one second if 0.',
  }),
  'create-empty-blocks': setting({
    kind: boolean(),
    default: true,
    about: 'Whether blocks are made without transactions too, if block-time is set.',
  }),
  pruning: setting({
    kind: choice('archive', 'default', 'everything'),
    default: 'archive',
    about:
      'Which states are kept: all of them, the last 100,000 or the last 10. Blocks, receipts and logs are kept as ' +
      'min-retain-blocks says. Older states are answered with -32002.',
  }),
  'min-retain-blocks': setting({
    kind: unless(0, integer({ min: 0 })),
    default: undefined,
    about:
      'How many of the newest blocks are kept with their transactions, receipts, logs and index entries, at least; 0 keeps ' +
      'all. Older ones are removed behind the head a few at a time, and their room in the file is used again; what is ' +
      'asked of them by number or block hash is answered with -32002, and a transaction or receipt of theirs by its hash with ' +
      'null, as one that never was. Headers stay. With CometBFT it prunes its blocks too, as far as evidence and snapshots ' +
      'allow. A larger number takes effect from the blocks on that are still there.',
  }),
  'min-free-space': setting({
    kind: byteSize({ min: 0 }),
    default: 256 * 2 ** 20,
    about:
      'The free space on the disk of the data below which no transaction is taken (-32005) and no block begun, or four ' +
      'times what the largest block took if that is more; 0 for no limit. Reads go on, and writing too as soon as there is ' +
      'space. With CometBFT blocks are committed down to an eighth of it, and then the node stops.',
  }),
  ephemeral: setting({
    kind: boolean(),
    default: false,
    about: 'Starts a new chain in a temporary folder, which is deleted on exit.',
  }),
  quiet: setting({
    kind: boolean(),
    default: false,
    about:
      'In the dev profile: hides blocks, transactions and the output of console.log in contracts on the ' +
      'terminal.',
  }),
  verbose: setting({
    kind: boolean(),
    default: false,
    about:
      'In the dev profile: shows the name of every method that a client calls on the terminal, as anvil does.',
  }),
  lightkdf: setting({
    kind: boolean(),
    default: false,
    about:
      'Encrypts new keys with less memory and time (scrypt n 4096 instead of 262144). An attacker with ' +
      'the file guesses its password that much faster.',
  }),
}
