import { z } from 'zod'
import { optionalParam, type Param } from '../rpc/method.ts'
import { plain } from '../rpc/wire.ts'
import { method } from './method.ts'
import { never } from './unsupported.ts'
import { Anything } from './wire/basic.ts'

/**
 * What Ethereum clients once had and no longer have. Whatever such a call holds, its sender is told what took the
 * method's place: the parameters are named for the documentation, and any value will do.
 */
const retired = (name: string, parameters: readonly string[], was: string, instead: string) =>
  method({
    name,
    summary: `Not supported any more: ${was}.`,
    access: 'public',
    params: parameters.map(
      (parameter): Param<unknown, false> => optionalParam(parameter, Anything, 'Not looked at.'),
    ),
    result: { name: 'nothing', type: Anything },
    examples: [],
    handler: never(`${name} is gone: ${instead}`),
  })

const compile =
  'nodes do not compile; use a compiler such as solc or vyper, or a tool such as Foundry or Hardhat'
const light =
  'the LES protocol ended with proof of work; a CometBFT light client follows this chain, and eth_getProof proves its state'
const checkpoint = `${light}; every block is final, so eth_getBlockByNumber "finalized" is the checkpoint`
const whisper = 'Whisper was given up for Waku (waku.org), which runs beside a node, not in it'
const storage = 'nodes store nothing for clients; keep such values in a database of your own'

const compilers = method({
  name: 'eth_getCompilers',
  summary: 'Lists the compilers of the node: none.',
  access: 'public',
  params: [],
  result: { name: 'compilers', type: plain(z.array(z.string())) },
  examples: [{ name: 'none', params: [], result: [] }],
  handler: () => [],
})

export const retiredMethods = [
  compilers,
  retired('eth_compileSolidity', ['source'], 'compiled Solidity', compile),
  retired('eth_compileLLL', ['source'], 'compiled LLL', compile),
  retired('eth_compileSerpent', ['source'], 'compiled Serpent', compile),

  retired('les_serverInfo', [], 'described the LES server', light),
  retired('les_clientInfo', ['clients'], 'described LES clients', light),
  retired('les_priorityClientInfo', ['start', 'stop', 'maxCount'], 'described paying LES clients', light),
  retired('les_addBalance', ['client', 'amount', 'meta'], 'changed the balance of an LES client', light),
  retired('les_setClientParams', ['clients', 'params'], 'set the limits of LES clients', light),
  retired('les_setDefaultParams', ['params'], 'set the limits of all LES clients', light),
  retired('les_latestCheckpoint', [], 'gave the newest light-client checkpoint', checkpoint),
  retired('les_getCheckpoint', ['index'], 'gave a light-client checkpoint', checkpoint),
  retired('les_getCheckpointContractAddress', [], 'gave the contract of checkpoints', checkpoint),

  retired('shh_version', [], 'gave the version of Whisper', whisper),
  retired('shh_post', ['message'], 'sent a Whisper message', whisper),
  retired('shh_newIdentity', [], 'made a Whisper identity', whisper),
  retired('shh_hasIdentity', ['identity'], 'looked for a Whisper identity', whisper),
  retired('shh_newGroup', [], 'made a Whisper group', whisper),
  retired('shh_addToGroup', ['identity'], 'joined a Whisper group', whisper),
  retired('shh_newFilter', ['filter'], 'made a filter for Whisper messages', whisper),
  retired('shh_uninstallFilter', ['filterId'], 'removed a filter for Whisper messages', whisper),
  retired('shh_getFilterChanges', ['filterId'], 'polled a filter for Whisper messages', whisper),
  retired('shh_getMessages', ['filterId'], 'gave all Whisper messages of a filter', whisper),

  retired('db_putString', ['database', 'key', 'value'], 'stored a string', storage),
  retired('db_getString', ['database', 'key'], 'gave a stored string', storage),
  retired('db_putHex', ['database', 'key', 'value'], 'stored bytes', storage),
  retired('db_getHex', ['database', 'key'], 'gave stored bytes', storage),
]
