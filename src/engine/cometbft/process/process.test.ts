import { describe, expect, it } from 'vitest'
import { describeFailure } from './process.ts'

describe('describeFailure', () => {
  it('knows a consensus that failed, and what a wrong AppHash means', () => {
    const err = '+2/3 committed an invalid block: wrong Block.Header.AppHash.  Expected AB, got CD'
    expect(describeFailure({ level: 'error', _msg: 'CONSENSUS FAILURE!!!', err })).toMatch(
      /^the consensus of CometBFT failed: \+2\/3 committed.*worked out another state/,
    )
    expect(describeFailure({ _msg: 'CONSENSUS FAILURE!!!', err: 'disk full' })).toBe(
      'the consensus of CometBFT failed: disk full',
    )
  })

  it('lets every other line pass', () => {
    expect(describeFailure({ _msg: 'Stopping peer for error', err: 'EOF' })).toBeUndefined()
  })
})
