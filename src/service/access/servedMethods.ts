import type { ApiContext } from '../../api/context.ts'
import { methodsOfProfile } from '../../api/devProfile.ts'
import { methods } from '../../api/methods.ts'
import { isDevProfile } from '../../config/rules/profile.ts'
import type { Config } from '../../config/settings/settings.ts'
import { createMethodTable, type MethodTable, namespacesOf } from '../../rpc/dispatch/table.ts'
import type { Method } from '../../rpc/method.ts'

/** What is served. */
export interface AccessOptions {
  /** All methods, the added ones among them. */
  readonly table: MethodTable<ApiContext>
  /** The methods beside those of the table of the program. */
  readonly added: readonly Method<ApiContext>[]
  readonly namespaces: readonly string[]
}

/** The namespaces that are enabled by default; the dev profile has all of them. */
const defaultNamespaces = ['eth', 'net', 'web3']

/** Checks the settings of serving, before anything is opened. Namespaces of added methods are always enabled. */
export const prepareAccess = (config: Config, added: readonly Method<ApiContext>[]): AccessOptions => {
  const ofProfile = methodsOfProfile(isDevProfile(config))
  const namespaces = [...new Set([...chooseNamespaces(config), ...namespacesOf(added)])]
  const table = createMethodTable([...ofProfile, ...added], namespaces)
  return { table, added, namespaces }
}

const chooseNamespaces = (config: Config): readonly string[] => {
  const { api } = config.jsonRpc
  if (api.length > 0) return api
  return isDevProfile(config) ? namespacesOf(methods) : defaultNamespaces
}
