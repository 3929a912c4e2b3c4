import type { RootLogger } from '../../base/logging/log.ts'
import { isDevProfile } from '../../config/rules/profile.ts'
import type { Config } from '../../config/settings/settings.ts'
import type { Service } from '../../service/start/startService.ts'
import { painter } from '../output/paint.ts'
import { withoutControls } from '../output/print.ts'
import { columnsOf, isTextMode } from '../output/textMode.ts'
import { Activity } from './activity.ts'
import { EventLines } from './eventLines.ts'
import { logHeads, showHeads } from './headLines.ts'
import { NetworkLog } from './networkLog.ts'
import { type ActivityRenderer, LogRenderer } from './render.ts'

/** What is shown of a service. */
export interface ShownActivity {
  /** Ends it before the service is closed, and resolves when everything that came so far is shown. */
  finish(): Promise<void>
}

export interface ActivityOutput {
  /** Writes lines to people. */
  readonly write: (text: string) => void
  /** Where blocks and transactions of a dev chain are shown instead; undefined for there. */
  readonly output: NodeJS.WriteStream | undefined
  /** Whether it is shown what contracts write with console.log. */
  readonly showsConsole: boolean
}

/**
 * Begins to show what happens: on a dev chain on `output`, or else as text, or else in the log; of another chain its
 * blocks, peers and validators, as text or in the log. Returns undefined where nothing is shown.
 */
export const showActivity = (
  { served, contracts }: Service,
  config: Config,
  log: RootLogger,
  { write, output, showsConsole }: ActivityOutput,
): ShownActivity | undefined => {
  const { chain, console } = served
  if (config.quiet) return undefined
  const isText = isTextMode(config)
  const paint = painter(process.stderr)
  if (!isDevProfile(config) || console === undefined) {
    if (output !== undefined) return undefined
    const component = log.component('chain')
    const network = new NetworkLog({ chain, log: component })
    const isShown = (): boolean => served.isReady() && !network.isBehind
    const end = isText ? showHeads(chain, write, paint, isShown) : logHeads(chain, component, isShown)
    return {
      finish: async () => {
        end()
        network.close()
      },
    }
  }
  const component = log.component('chain')
  const renderer: ActivityRenderer =
    output !== undefined
      ? new EventLines((text) => void output.write(withoutControls(text)), painter(output), columnsOf(output))
      : isText
        ? new EventLines(write, paint, columnsOf(process.stderr))
        : new LogRenderer(component)
  const isConsoleOnly = renderer instanceof LogRenderer && !['debug', 'trace'].includes(config.log.level)
  const activity = new Activity(
    { isConsoleOnly, showsConsole },
    { chain, console, contracts, renderer, log: component },
  )
  activity.start()
  return activity
}
