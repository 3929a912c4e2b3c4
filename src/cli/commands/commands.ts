import type { CommandTable } from './commandTable.ts'

/** The commands in the order of the help text. A new one is a line here and a file. */
export const commands: CommandTable = {
  start: {
    about: 'Serve JSON-RPC until stopped',
    load: () => import('./start.ts'),
  },
  init: {
    about: 'Make a home: what it is, its keys and settings; start nothing',
    load: () => import('./init.ts'),
  },
  anvil: {
    about: 'Run a development chain that is deleted on exit, with the flags, banner and errors of anvil',
    load: () => import('./anvil/anvil.ts'),
  },
  gateway: {
    about: 'Serve JSON-RPC in front of the nodes of a Cosmos EVM chain',
    load: () => import('./gateway.ts'),
  },
  light: {
    about: 'Serve JSON-RPC on this machine, with every response proven',
    load: () => import('./light.ts'),
  },
  explorer: {
    about: 'Write the explorer as files for any web server',
    load: () => import('./explorer.ts'),
  },
  testnet: {
    about: 'Run a network of CometBFT validators on this computer',
    load: () => import('./testnet/testnet.ts'),
  },
  genesis: {
    about: 'Write, extend, check and show a genesis file',
    load: () => import('./genesis/genesis.ts'),
  },
  network: {
    about: 'Tell who the node of a home is among its peers and validators',
    load: () => import('./network/network.ts'),
  },
  validators: {
    about: 'List the validators: name, power, missed blocks, key, reward',
    load: () => import('./validators/validators.ts'),
  },
  token: {
    about: 'Print a bearer token for private methods, good for a minute',
    load: () => import('./token.ts'),
  },
  key: {
    about: 'Add an API key to the file of json-rpc.keys and print it',
    load: () => import('./key.ts'),
  },
  account: {
    about: 'Create, list, import, export and re-encrypt keys',
    load: () => import('./account/account.ts'),
  },
  config: {
    about: 'Show the effective settings, or document all of them',
    load: () => import('./config.ts'),
  },
  doctor: {
    about: 'Look for what would prevent a start: machine, ports, home, engine, upstreams',
    load: () => import('./doctor.ts'),
  },
  status: {
    about: 'Tell how a running node is doing: height, lag, peers, upstreams, pool, memory, disk',
    load: () => import('./status/status.ts'),
  },
  db: { about: 'Check the data of a home and show its size', load: () => import('./db.ts') },
  evm: { about: 'Run the EVM alone', load: () => import('./evm.ts') },
  snapshot: {
    about: 'Write the state of a block to a file, and begin a home with one',
    load: () => import('./snapshot/snapshot.ts'),
  },
  import: {
    about: 'Execute the blocks of an exported chain into a home',
    load: () => import('./import/import.ts'),
  },
  export: {
    about: "Write the chain of a home as chain.rlp and genesis.json, in geth's formats",
    load: () => import('./export.ts'),
  },
  follow: {
    about: 'Write each block of a node once: as JSON, SQL rows or Parquet',
    load: () => import('./follow.ts'),
  },
  rollback: {
    about: 'Revert the newest block of a home (the node must be stopped)',
    load: () => import('./rollback.ts'),
  },
  reset: {
    about: 'Remove the chain of a home; keys, settings and genesis stay (the node must be stopped)',
    load: () => import('./reset.ts'),
  },
  completion: {
    about: 'Print a script that completes commands and flags in bash, zsh or fish',
    load: () => import('./completion/completion.ts'),
  },
  version: { about: 'Print the version', load: () => import('./version.ts') },
}
