import type { RootLogger } from '../../base/log.ts'
import { isDevProfile } from '../../config/profile.ts'
import type { Config } from '../../config/settings.ts'
import type { Service } from '../../service/startService.ts'
import { Activity } from './activity.ts'
import { LogRenderer, TerminalRenderer } from './render.ts'

/**
 * Begins to show what happens on a dev chain, on `output`, or else on a terminal, or else in the log. Returns undefined
 * where nobody wants to see it.
 */
export const showActivity = (
  { served, contracts }: Service,
  config: Config,
  log: RootLogger,
  output: NodeJS.WriteStream | undefined,
  showsConsole: boolean,
): Activity | undefined => {
  const { chain, console } = served
  if (!isDevProfile(config) || config.quiet || console === undefined) return undefined
  const terminal = output ?? (process.stderr.isTTY === true ? process.stderr : undefined)
  const component = log.component('chain')
  const renderer =
    terminal === undefined
      ? new LogRenderer(component)
      : new TerminalRenderer(
          (text) => void terminal.write(text),
          terminal.isTTY === true && process.env.NO_COLOR === undefined,
        )
  const isConsoleOnly = terminal === undefined && !['debug', 'trace'].includes(config.log.level)
  const activity = new Activity(
    { isConsoleOnly, showsConsole },
    { chain, console, contracts, renderer, log: component },
  )
  activity.start()
  return activity
}
