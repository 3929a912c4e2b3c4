/** The chunks are not what the manifest says, or do not lead to its root. */
export class SnapshotError extends Error {
  override readonly name = 'SnapshotError'
}
