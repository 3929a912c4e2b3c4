/** A reason to end that the operator can act on. */
export class FollowError extends Error {
  override readonly name = 'FollowError'
}
