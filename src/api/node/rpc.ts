import { z } from 'zod'
import type { RawJson } from '../../rpc/rawJson.ts'
import { plainType } from '../../rpc/wireType.ts'
import { textAsJson } from '../answers/lookup.ts'
import { publicMethod, servedMethod } from '../method.ts'
import { describedObject } from '../wire/basic.ts'

/** The text of a document, which takes longer to make than any other answer to read. */
const encoded = new WeakMap<object, RawJson>()

const encodeOnce = (document: object): RawJson => {
  const json = encoded.get(document) ?? textAsJson(JSON.stringify(document))
  encoded.set(document, json)
  return json
}

export const rpcMethods = [
  servedMethod({
    name: 'rpc_modules',
    summary: 'Lists the namespaces that are enabled, each with its version.',
    params: [],
    result: { name: 'modules', type: plainType(z.record(z.string(), z.string())) },
    examples: [
      { name: 'the default', params: [], result: { eth: '1.0', net: '1.0', rpc: '1.0', web3: '1.0' } },
    ],
    handler: (_, { modules }) => modules(),
  }),
  publicMethod({
    name: 'rpc.discover',
    summary: 'Describes every method of this server as an OpenRPC document.',
    params: [],
    result: { name: 'document', type: describedObject('An OpenRPC document') },
    examples: [],
    handler: async (_, { openRpc }) => encodeOnce(await openRpc()),
  }),
]
