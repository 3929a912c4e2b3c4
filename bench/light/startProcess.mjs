// The first response of a client in a process of its own, from the start of the process on.
const [url, trusted = '', method = '', params = '[]'] = process.argv.slice(2)

const believe = async () => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: JSON.parse(params) })
  await (await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })).json()
}

const prove = async () => {
  const { createLightProvider } = await import('../../dist/light/index.js')
  const [height, hash] = trusted.split(':')
  const provider = createLightProvider({ urls: [url], trust: { height: Number(height), hash } })
  await provider.request({ method, params: JSON.parse(params) })
}

await (trusted === '' ? believe() : prove())
const { user, system } = process.cpuUsage()
const { maxRSS } = process.resourceUsage()
process.stdout.write(
  JSON.stringify({ ms: performance.now(), cpuMs: (user + system) / 1_000, rssMb: maxRSS / 1_024 }),
)
process.exit(0)
