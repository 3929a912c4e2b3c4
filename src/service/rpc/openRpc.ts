import { readFile } from 'node:fs/promises'
import type { ApiContext } from '../../api/context.ts'
import { openRpcUrl } from '../../base/threads/builtFiles.ts'
import { version } from '../../base/version.ts'
import type { Method } from '../../rpc/method.ts'
import type { OpenRpcDocument } from '../../rpc/openrpc.ts'
import { joinDocuments, selectMethods } from '../../rpc/openrpcSelection.ts'

/**
 * Returns a function that describes the enabled methods. To make JSON schemas takes half a second, so that those of our
 * own methods are made when the program is built, and only those of added methods when somebody asks.
 */
export const createOpenRpc = (
  enabled: readonly Method<ApiContext>[],
  added: readonly Method<ApiContext>[],
): (() => Promise<OpenRpcDocument>) => {
  let document: Promise<OpenRpcDocument> | undefined
  const describe = async (): Promise<OpenRpcDocument> => {
    const { createOpenRpcDocument } = await import('../../rpc/openrpc.ts')
    const known = JSON.parse(await readFile(openRpcUrl, 'utf8')) as OpenRpcDocument // the build's own file
    const ours = selectMethods(known, new Set(enabled.map(({ name }) => name)))
    const theirs = createOpenRpcDocument(added, version)
    return joinDocuments({ ...ours, info: theirs.info }, theirs)
  }
  return () => {
    document ??= describe()
    return document
  }
}
