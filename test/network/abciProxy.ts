import { chmodSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { fromBinary, toBinary } from '@bufbuild/protobuf'
import { encodeAbciFrame, FrameReader } from '../../src/engine/cometbft/abci/frames.ts'
import {
  type Response,
  ResponseSchema,
} from '../../src/engine/cometbft/abci/gen/perihelion/abci/v1/abci_pb.ts'

export type AbciAnswer = Response['value']

/**
 * Stands between an engine and its application, and changes what the application answers. The engine is told to connect
 * here, `path`; the application listens at `application`. Both are Unix sockets.
 */
export class AbciProxy {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  constructor(path: string, application: string, rewrite: (answer: AbciAnswer) => AbciAnswer) {
    this.#server = createServer((engine) => {
      const app = connect(application)
      const reader = new FrameReader()
      for (const [socket, other] of [
        [engine, app],
        [app, engine],
      ] as const) {
        this.#sockets.add(socket)
        socket.on('error', () => other.destroy())
        socket.on('close', () => {
          this.#sockets.delete(socket)
          other.destroy()
        })
      }
      engine.on('data', (piece) => app.write(piece))
      app.on('data', (piece) => {
        for (const message of reader.push(piece))
          engine.write(encodeAbciFrame(rewriteMessage(message, rewrite)))
      })
    }).listen(path)
  }

  close(): void {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
  }
}

const rewriteMessage = (message: Uint8Array, rewrite: (answer: AbciAnswer) => AbciAnswer): Uint8Array => {
  const response = fromBinary(ResponseSchema, message)
  const value = rewrite(response.value)
  return value === response.value ? message : toBinary(ResponseSchema, { ...response, value })
}

/** Writes a program that is CometBFT, but connects to another application than it is told. */
export const writeRedirectedEngine = (file: string, program: string, socket: string): void => {
  writeFileSync(
    file,
    `#!/bin/sh\nif [ "$1" = start ]; then exec "${program}" "$@" --proxy_app "unix://${socket}"; fi\nexec "${program}" "$@"\n`,
  )
  chmodSync(file, 0o755)
}
