// The logs of a transaction, in a chain of blocks; each tells the one before it.
import { CHAIN_HEADER } from '../layout'
import { chainEnd, link, shorten, unlink } from '../heap'

/** The newest log, which tells the one before it. */
export let lastLog: usize = 0
export let logCount: u32 = 0
export let logBlock: usize = 0

/** The lowest block, which stays. */
@inline
export function beginLogs(): void {
  logBlock = link(0, 0)
}

/** Where a log of so many bytes goes; 0 when there is no room. */
export function addLog(size: usize): usize {
  let at = lastLog == 0 ? logBlock + CHAIN_HEADER : logEnd(lastLog)
  if (at + size > chainEnd(logBlock)) {
    const block = link(logBlock, size)
    if (block == 0) return 0
    logBlock = block
    at = block + CHAIN_HEADER
  }
  store<u32>(at, <u32>lastLog, 12)
  lastLog = at
  logCount++
  return at
}

@inline
function logEnd(log: usize): usize {
  return (log + 16 + <usize>load<u32>(log, 4) * 32 + <usize>load<u32>(log, 8) + 7) & ~7
}

/** Drops the logs after `last`. */
export function setLogs(last: usize, count: u32): void {
  if (last == 0) logBlock = shorten(logBlock)
  else while (last < logBlock || last >= chainEnd(logBlock)) logBlock = unlink(logBlock)
  lastLog = last
  logCount = count
}
