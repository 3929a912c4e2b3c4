/** `sun_path` of Linux has 108 bytes with its closing zero; a longer path would be cut without a word. */
export const maxSocketPathBytes = 107

/** Returns whether a Unix socket cannot have this path. Named pipes of Windows have no such limit. */
export const isTooLongForSocket = (path: string): boolean =>
  process.platform !== 'win32' && Buffer.byteLength(path) > maxSocketPathBytes
