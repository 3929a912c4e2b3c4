// Starts nodes in this process and prints how long that took: `node inProcess.mjs <file of the library>`.
import { pathToFileURL } from 'node:url'

const cpu = () => (process.cpuUsage().user + process.cpuUsage().system) / 1000
const timed = async (work) => {
  const [start, cpuBefore] = [performance.now(), cpu()]
  const result = await work()
  return { result, ms: performance.now() - start, cpuMs: cpu() - cpuBefore }
}
const openNode = ({ createNode }) =>
  timed(async () => {
    const node = await createNode({ listen: false })
    await node.provider.request({ method: 'eth_blockNumber' })
    return node
  })
const rssMb = () => process.memoryUsage.rss() / 2 ** 20

const library = await timed(() => import(pathToFileURL(process.argv[2]).href))
const first = await openNode(library.result)
const firstRssMb = rssMb()
const second = await openNode(library.result)
const figures = {
  import: { ms: library.ms, cpuMs: library.cpuMs },
  first: { ms: first.ms, cpuMs: first.cpuMs, rssMb: firstRssMb },
  second: { ms: second.ms, cpuMs: second.cpuMs, rssMb: rssMb() },
  firstClose: await timed(() => first.result.close()).then(({ ms, cpuMs }) => ({ ms, cpuMs })),
}
await second.result.close()
process.stdout.write(`${JSON.stringify(figures)}\n`)
process.exit(0)
