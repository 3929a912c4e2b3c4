import { createLogger } from '../../../src/base/logging/log.ts'
import { startFollower } from '../../../src/gateway/follow/follower.ts'
import type { FollowerOptions } from '../../../src/gateway/follow/followService.ts'
import { toChainInfo } from '../families/replayChainInfo.ts'
import type { ReplayFamily } from '../replay/families.ts'
import { SyntheticChain } from '../replay/synthetic.ts'

/** A follower on its thread, in a process that can be killed: says each head in a line. */
const [path = '', family = '', ...nodes] = process.argv.slice(2)
const options: FollowerOptions = {
  path,
  nodes: nodes.map((node) => ({ node })),
  chainInfo: toChainInfo(new SyntheticChain({ family: family as ReplayFamily })),
  minFreeBytes: 0,
  // A server in the process of a test may need long for a block of hundreds of megabytes.
  callTimeoutMs: 120_000,
}
const follower = await startFollower(options, createLogger('error'))
const say = (number: number): boolean => process.stdout.write(`${number}\n`)
say(follower.head().number)
follower.onHead(({ number }) => say(number))
process.on('SIGTERM', async () => {
  await follower.close()
  process.exit(0)
})
