import { createReadStream } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Serves the example page with the package's bundle beside it, and a node below `/rpc`, so that no other origin is asked. */
export const startExamplePage = async (
  node: string,
): Promise<{ readonly url: string; close(): Promise<void> }> => {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    if (pathname === '/rpc') {
      const parts: Buffer[] = []
      for await (const part of request) parts.push(part as Buffer)
      const headers = { 'content-type': 'application/json' }
      const reply = await fetch(node, { method: 'POST', headers, body: Buffer.concat(parts) })
      response.writeHead(200, headers).end(Buffer.from(await reply.arrayBuffer()))
      return
    }
    const isScript = pathname.startsWith('/light/')
    const file = isScript
      ? join(root, 'dist/light', basename(pathname))
      : join(root, 'examples/light/page.html')
    response.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html' })
    createReadStream(file).pipe(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
