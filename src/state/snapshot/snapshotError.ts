/** The error for chunks that do not match the manifest, or do not lead to its root. */
export class SnapshotError extends Error {
  override readonly name = 'SnapshotError'
}
