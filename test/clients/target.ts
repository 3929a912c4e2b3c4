import { rmSync } from 'node:fs'
import { isolatedFlags, runProgram } from '../support/program.ts'
import { temporaryHome } from '../support/testServer.ts'

/** A network for the clients: where it is, and an account with some coins on it. */
export interface Target {
  readonly httpUrl: string
  readonly wsUrl: string
  readonly chainId: number
  readonly privateKey: `0x${string}`
  /** Networks whose blocks travel between nodes refuse blobs. */
  readonly takesBlobs: boolean
}

interface OpenTarget {
  readonly target: Target
  close(): Promise<void>
}

/** The first account of a first start. */
const devKey = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'

const ownNode = async (): Promise<OpenTarget> => {
  const home = temporaryHome()
  const node = runProgram(['start', ...isolatedFlags(home)])
  const { http = '', ws = '', chain } = await node.ready()
  return {
    target: { httpUrl: http, wsUrl: ws, chainId: Number(chain), privateKey: devKey, takesBlobs: true },
    close: async () => {
      node.child.kill('SIGTERM')
      await node.ended()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/**
 * The network of the environment, or a node of our own where it names none:
 *   PERIHELION_URL     its HTTP address
 *   PERIHELION_WS_URL  its WebSocket address; that of PERIHELION_URL where it is missing
 *   PERIHELION_KEY     the key of an account with coins; that of the first development account where it is missing
 *   PERIHELION_BLOBS   `refused` where the network takes no blobs
 */
export const openTarget = async (): Promise<OpenTarget> => {
  const { PERIHELION_URL: httpUrl, PERIHELION_WS_URL, PERIHELION_KEY, PERIHELION_BLOBS } = process.env
  if (httpUrl === undefined) return ownNode()
  const answer = await fetch(httpUrl, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}',
  })
  const { result } = (await answer.json()) as { result: string }
  return {
    target: {
      httpUrl,
      wsUrl: PERIHELION_WS_URL ?? httpUrl.replace(/^http/, 'ws'),
      chainId: Number(result),
      privateKey: (PERIHELION_KEY ?? devKey) as `0x${string}`,
      takesBlobs: PERIHELION_BLOBS !== 'refused',
    },
    close: async () => {},
  }
}
