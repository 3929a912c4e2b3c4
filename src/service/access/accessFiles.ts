import type { Config } from '../../config/settings/settings.ts'
import type { ApiKeyOptions } from '../../rpc/access/apiKey.ts'
import type { TlsFiles } from '../../rpc/transport/tls.ts'

/** What clients are let in by. */
export interface AccessFiles {
  /** The API keys; undefined if none is needed. */
  readonly keys: readonly ApiKeyOptions[] | undefined
  /** The certificate of the network transports; undefined if they are not secured. */
  readonly tls: TlsFiles | undefined
}

/** Reads the API keys and the certificate. Most often there are none, so that the readers are loaded only then. */
export const readAccessFiles = async ({
  jsonRpc: { keys, tlsCert, tlsKey },
}: Config): Promise<AccessFiles> => ({
  keys: keys === undefined ? undefined : (await import('../../rpc/access/keyFile.ts')).readKeyFile(keys),
  tls:
    tlsCert === undefined || tlsKey === undefined
      ? undefined
      : (await import('../../rpc/transport/tls.ts')).readTlsFiles(tlsCert, tlsKey),
})
