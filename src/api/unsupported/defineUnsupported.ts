import { optionalParam, type Param } from '../../rpc/method.ts'
import { privateMethod } from '../method.ts'
import { AnyJson } from '../wire/basic.ts'
import { notSupported } from './unsupported.ts'

/** Defines a private method of geth that has no meaning here. Its error says why and what to use instead. */
export const defineUnsupported = (name: string, what: string, why: string, params: readonly string[] = []) =>
  privateMethod({
    name,
    summary: `Not supported: ${what} in geth.`,
    params: params.map((each): Param<unknown, false> => optionalParam(each, AnyJson, 'Not looked at.')),
    result: { name: 'nothing', type: AnyJson },
    examples: [],
    handler: notSupported(why),
  })
