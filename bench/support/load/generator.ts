import { readFileSync } from 'node:fs'
import { driveRawLoad, encodeRequest } from './rawLoad.ts'

/** A process that makes load and nothing else, so that it is not slowed down by what else the bench does. */
export interface GeneratorOrder {
  readonly port: number
  /** A file with one body a line. */
  readonly file: string
  readonly connections: number
  readonly seconds: number
  /** Requests a second; as many as are answered if undefined. */
  readonly rate?: number
}

let loaded: { readonly file: string; readonly requests: readonly Buffer[] } | undefined

process.on('message', async ({ file, ...order }: GeneratorOrder) => {
  try {
    if (loaded?.file !== file)
      loaded = { file, requests: readFileSync(file, 'utf8').split('\n').filter(Boolean).map(encodeRequest) }
    process.send?.({ result: await driveRawLoad({ ...order, requests: loaded.requests }) })
  } catch (error) {
    process.send?.({ error: (error as Error).message })
  }
})
process.on('disconnect', () => process.exit())
