import type { RootLogger } from '../../base/log.ts'
import { isDevProfile } from '../../config/profile.ts'
import type { Config } from '../../config/settings.ts'
import type { Service } from '../../service/startService.ts'
import { hasColours, painter } from '../output/paint.ts'
import { isTextMode, terminalColumns } from '../output/textMode.ts'
import { Activity } from './activity.ts'
import { EventLines } from './eventLines.ts'
import { showHeads } from './headLines.ts'
import { type ActivityRenderer, LogRenderer, TerminalRenderer } from './render.ts'

/** What is shown of a service. */
export interface ShownActivity {
  /** Ends it before the service is closed, and resolves when everything that came so far is shown. */
  finish(): Promise<void>
}

/**
 * Begins to show what happens: on a dev chain on `output`, or else as text, or else in the log; of another chain only its
 * blocks, as text. Returns undefined where nothing is shown.
 */
export const showActivity = (
  { served, contracts }: Service,
  config: Config,
  log: RootLogger,
  output: NodeJS.WriteStream | undefined,
  showsConsole: boolean,
): ShownActivity | undefined => {
  const { chain, console } = served
  if (config.quiet) return undefined
  const isText = isTextMode(config)
  const write = (text: string): void => void process.stderr.write(text)
  const paint = painter(process.stderr)
  if (!isDevProfile(config) || console === undefined) {
    if (!isText || output !== undefined) return undefined
    const end = showHeads(chain, write, paint, () => served.isReady())
    return { finish: async () => end() }
  }
  const component = log.component('chain')
  const renderer: ActivityRenderer =
    output !== undefined
      ? new TerminalRenderer((text) => void output.write(text), hasColours(output))
      : isText
        ? new EventLines(write, paint, terminalColumns)
        : new LogRenderer(component)
  const isConsoleOnly = renderer instanceof LogRenderer && !['debug', 'trace'].includes(config.log.level)
  const activity = new Activity(
    { isConsoleOnly, showsConsole },
    { chain, console, contracts, renderer, log: component },
  )
  activity.start()
  return activity
}
