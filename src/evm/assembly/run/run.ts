// Runs frames, in whichever way each of them goes on.
import { F_DECODED } from '../layout'
import { frame } from '../frames/frames'
import { changed, setChanged, setPaused } from './leave'
import { loop } from './loop'

/** Runs the frame that `beginTop` opened, and all that it calls, to the end or a pause. */
export function run(): void {
  setPaused(false)
  do {
    setChanged(false)
    if (!TRACED && load<u32>(frame, F_DECODED) != 0) loop<u64>()
    else loop<u8>()
  } while (changed)
}
