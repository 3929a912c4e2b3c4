import type { Config } from '../../config/settings/settings.ts'
import { createReplicas } from '../../gateway/replicas/replicas.ts'
import { type Finding, ok, warning } from './finding.ts'

const quiet = { info: () => undefined, warn: () => undefined }

/** Asks the other replicas of a gateway, and looks whether another process has its number. */
export const checkReplicas = async (
  { gateway }: Pick<Config, 'gateway'>,
  isRunning: boolean,
): Promise<readonly Finding[]> => {
  const parts = { goneAfterMs: 0, exportBlocks: () => undefined, log: quiet }
  const replicas = createReplicas(gateway, parts)
  if (replicas === undefined || gateway.peers.length === 0) return []
  try {
    const reasons = await replicas.look()
    const listed = replicas.stats().map(({ replica }) => replica)
    // What answers by the own number is the process that runs, which looks for itself.
    const others = listed.filter((replica) => replica !== replicas.self || !isRunning)
    const unlisted = warning(
      'replica',
      `gateway.peers has no entry of replica ${replicas.self}, which this is`,
      'give all replicas the same list',
    )
    return [
      ...(listed.includes(replicas.self) ? [] : [unlisted]),
      ...others.flatMap((replica) => {
        const reason = reasons.get(replica)
        if (reason !== undefined)
          return [
            warning(
              'replica',
              reason,
              'start it, or correct gateway.peers, gateway.replica or gateway.peer-token, here or there',
            ),
          ]
        return replica === replicas.self ? [] : [ok('replica', `replica ${replica} answers`)]
      }),
    ]
  } finally {
    replicas.close()
  }
}
