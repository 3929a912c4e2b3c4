import { z } from 'zod'
import { optionalParam, type Param } from '../../rpc/method.ts'
import { plainType } from '../../rpc/wireType.ts'
import { publicMethod } from '../method.ts'
import { AnyJson } from '../wire/basic.ts'
import { notSupported } from './unsupported.ts'

/**
 * The methods that Ethereum clients once had. A call gets an error that names the replacement. The parameters are
 * declared for the documentation and accept any value.
 */
const defineRetired = (name: string, parameters: readonly string[], was: string, instead: string) =>
  publicMethod({
    name,
    summary: `Not supported any more: ${was}.`,
    params: parameters.map(
      (parameter): Param<unknown, false> => optionalParam(parameter, AnyJson, 'Not looked at.'),
    ),
    result: { name: 'nothing', type: AnyJson },
    examples: [],
    handler: notSupported(`${name} is gone: ${instead}`),
  })

const compile =
  'nodes do not compile; use a compiler such as solc or vyper, or a tool such as Foundry or Hardhat'
const light =
  'the LES protocol ended with proof of work; a CometBFT light client follows this chain, and eth_getProof proves its state'
const checkpoint = `${light}; every block is final, so eth_getBlockByNumber "finalized" is the checkpoint`
const whisper = 'Whisper was given up for Waku (waku.org), which runs beside a node, not in it'
const storage = 'nodes store nothing for clients; keep such values in a database of your own'

const compilers = publicMethod({
  name: 'eth_getCompilers',
  summary: 'Lists the compilers of the node: none.',
  params: [],
  result: { name: 'compilers', type: plainType(z.array(z.string())) },
  examples: [{ name: 'none', params: [], result: [] }],
  handler: () => [],
})

export const retiredMethods = [
  compilers,
  defineRetired('eth_compileSolidity', ['source'], 'compiled Solidity', compile),
  defineRetired('eth_compileLLL', ['source'], 'compiled LLL', compile),
  defineRetired('eth_compileSerpent', ['source'], 'compiled Serpent', compile),

  defineRetired('les_serverInfo', [], 'described the LES server', light),
  defineRetired('les_clientInfo', ['clients'], 'described LES clients', light),
  defineRetired(
    'les_priorityClientInfo',
    ['start', 'stop', 'maxCount'],
    'described paying LES clients',
    light,
  ),
  defineRetired(
    'les_addBalance',
    ['client', 'amount', 'meta'],
    'changed the balance of an LES client',
    light,
  ),
  defineRetired('les_setClientParams', ['clients', 'params'], 'set the limits of LES clients', light),
  defineRetired('les_setDefaultParams', ['params'], 'set the limits of all LES clients', light),
  defineRetired('les_latestCheckpoint', [], 'gave the newest light-client checkpoint', checkpoint),
  defineRetired('les_getCheckpoint', ['index'], 'gave a light-client checkpoint', checkpoint),
  defineRetired('les_getCheckpointContractAddress', [], 'gave the contract of checkpoints', checkpoint),

  defineRetired('shh_version', [], 'gave the version of Whisper', whisper),
  defineRetired('shh_post', ['message'], 'sent a Whisper message', whisper),
  defineRetired('shh_newIdentity', [], 'made a Whisper identity', whisper),
  defineRetired('shh_hasIdentity', ['identity'], 'looked for a Whisper identity', whisper),
  defineRetired('shh_newGroup', [], 'made a Whisper group', whisper),
  defineRetired('shh_addToGroup', ['identity'], 'joined a Whisper group', whisper),
  defineRetired('shh_newFilter', ['filter'], 'made a filter for Whisper messages', whisper),
  defineRetired('shh_uninstallFilter', ['filterId'], 'removed a filter for Whisper messages', whisper),
  defineRetired('shh_getFilterChanges', ['filterId'], 'polled a filter for Whisper messages', whisper),
  defineRetired('shh_getMessages', ['filterId'], 'gave all Whisper messages of a filter', whisper),

  defineRetired('db_putString', ['database', 'key', 'value'], 'stored a string', storage),
  defineRetired('db_getString', ['database', 'key'], 'gave a stored string', storage),
  defineRetired('db_putHex', ['database', 'key', 'value'], 'stored bytes', storage),
  defineRetired('db_getHex', ['database', 'key'], 'gave stored bytes', storage),
]
