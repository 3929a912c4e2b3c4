import { describe, expect, it } from 'vitest'
import { exitCodes } from '../../../base/exit.ts'
import { describeFailure, levelOf } from './process.ts'

describe('describeFailure', () => {
  it('knows a consensus that failed, and what a wrong AppHash means', () => {
    const err = '+2/3 committed an invalid block: wrong Block.Header.AppHash.  Expected AB, got CD'
    // A start would end in the same way, so that a supervisor must not try.
    expect(describeFailure({ level: 'error', _msg: 'CONSENSUS FAILURE!!!', err })).toMatchObject({
      message: expect.stringMatching(
        /^the consensus of CometBFT failed: \+2\/3 committed.*worked out another state/,
      ),
      exitCode: exitCodes.diverged,
    })
    expect(describeFailure({ _msg: 'CONSENSUS FAILURE!!!', err: 'disk full' })).toMatchObject({
      message: 'the consensus of CometBFT failed: disk full',
      exitCode: exitCodes.internal,
    })
  })

  it('lets every other line pass', () => {
    expect(describeFailure({ _msg: 'Stopping peer for error', err: 'EOF' })).toBeUndefined()
  })
})

describe('the level of a line of the engine', () => {
  it.each([
    [{ level: 'error', _msg: 'SendTimeout', reason: 'peer did not send us anything' }, 'info'],
    [
      { level: 'error', _msg: 'Failed to add block', err: 'peer sent us an already committed block 7' },
      'info',
    ],
    [{ level: 'error', _msg: 'Stopping peer for error', err: 'EOF' }, 'info'],
    [{ level: 'error', _msg: 'Failed to add block', err: 'invalid peer' }, 'error'],
    [{ level: 'error', _msg: 'CONSENSUS FAILURE!!!', err: 'wrong Block.Header.AppHash' }, 'error'],
    [{ level: 'info', _msg: 'committed state' }, 'debug'],
    [{ level: 'info', _msg: 'Snapshot sender rejected' }, 'warn'],
  ] as const)('%j is %s', (entry, level) => {
    expect(levelOf(entry)).toBe(level)
  })
})
