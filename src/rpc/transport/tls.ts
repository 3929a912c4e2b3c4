import { createSecureContext } from 'node:tls'
import { badConfig, badFile } from '../../base/exit.ts'
import { readTextFile } from '../../base/files/readFile.ts'

/** A certificate with its chain, and its key, as PEM. */
export interface TlsFiles {
  readonly cert: string
  readonly key: string
}

const maxFileBytes = 1 << 20

/** Reads a certificate and its key; throws an ExitError if a file cannot be read, or they do not belong together. */
export const readTlsFiles = (certPath: string, keyPath: string): TlsFiles => {
  const read = (path: string): string => {
    try {
      return readTextFile(path, maxFileBytes)
    } catch (error) {
      throw badFile(`${path} cannot be read: ${(error as Error).message}`)
    }
  }
  const files = { cert: read(certPath), key: read(keyPath) }
  try {
    createSecureContext(files)
  } catch (error) {
    throw badConfig(
      `json-rpc.tls-cert, json-rpc.tls-key: ${certPath} and ${keyPath} are not a certificate with its key: ${(error as Error).message}`,
    )
  }
  return files
}
