/** Returns the number and the URL of a replica that is written as `number=URL`. */
export const parseReplicaEntry = (entry: string): { readonly replica: number; readonly url: string } => {
  const at = entry.indexOf('=')
  return { replica: Number(entry.slice(0, at)), url: entry.slice(at + 1) }
}
