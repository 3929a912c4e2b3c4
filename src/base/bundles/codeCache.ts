import { crc32 } from 'node:zlib'

/**
 * The compiled code of a bundle, which the build keeps in a file beside it: V8 then neither parses nor compiles what a
 * start needs. Of the text V8 compares the length alone, and the code it trusts, so that the file begins with a checksum of
 * each; whatever does not fit is not used.
 */

/** Two checksums. The code behind them is aligned, so that V8 does not copy it. */
const headBytes = 8

/** Returns the file of a bundle's code. It is named by the Node that made it: no other one looks at it. */
export const codeCachePath = (bundleFile: string): string =>
  bundleFile.replace(/\.js$/, `.${process.version}-${process.platform}-${process.arch}.cache`)

/** Returns the content of the file for the compiled code of a text. */
export const encodeCodeCache = (text: Uint8Array, code: Uint8Array): Uint8Array => {
  const content = Buffer.alloc(headBytes + code.length)
  content.writeUInt32LE(crc32(text), 0)
  content.writeUInt32LE(crc32(code), 4)
  content.set(code, headBytes)
  return content
}

/** Returns the compiled code of a text; undefined if the content is that of another text, or damaged. */
export const decodeCodeCache = (text: Uint8Array, content: Buffer): Buffer | undefined => {
  if (content.length <= headBytes || content.readUInt32LE(0) !== crc32(text)) return undefined
  const code = content.subarray(headBytes)
  return content.readUInt32LE(4) === crc32(code) ? code : undefined
}

/** Returns the text of a bundle as the function that Node would make of it, without a line more before it. */
export const wrapBundle = (text: string): string =>
  `(function (exports, require, module, __filename, __dirname) {${text}\n})`
