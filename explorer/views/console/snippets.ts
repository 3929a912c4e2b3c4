import { endpoint } from '../../rpc/proof.ts'

/** A call as other tools make it, to be copied. */
export const snippets = (
  method: string,
  params: readonly unknown[],
): readonly (readonly [string, string])[] => {
  const url = endpoint().href.replace(/\/$/, '')
  const list = JSON.stringify(params)
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
  const words = params.map((param) => quoted(typeof param === 'string' ? param : JSON.stringify(param)))
  return [
    ['curl', `curl ${quoted(url)} -H 'Content-Type: application/json' -d ${quoted(body)}`],
    [
      'viem',
      `import { createPublicClient, http } from 'viem'\n\n` +
        `const client = createPublicClient({ transport: http(${JSON.stringify(url)}) })\n` +
        `await client.request({ method: ${JSON.stringify(method)}, params: ${list} })`,
    ],
    [
      'ethers',
      `import { JsonRpcProvider } from 'ethers'\n\n` +
        `const provider = new JsonRpcProvider(${JSON.stringify(url)})\n` +
        `await provider.send(${JSON.stringify(method)}, ${list})`,
    ],
    ['cast', `cast rpc --rpc-url ${quoted(url)} ${method}${words.length > 0 ? ` ${words.join(' ')}` : ''}`],
  ]
}
