import { badUsage } from '../../base/exit.ts'
import type { Config } from '../../config/settings/settings.ts'
import { addKey } from '../../rpc/access/keyFile.ts'

/** Adds an API key to the key file of a configuration and returns it. It is stored as a hash only. */
export const createApiKey = ({ jsonRpc: { keys } }: Config, name: string): string => {
  if (keys === undefined) throw badUsage('no file for API keys: name one with --json-rpc.keys <path>')
  return addKey(keys, name)
}
