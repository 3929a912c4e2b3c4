const colours = { green: 32, red: 31, yellow: 33, cyan: 36, bold: 1, dim: 2 } as const

export type Paint = (colour: keyof typeof colours, text: string) => string

/** Matches what `paint` puts around a text, and no other escape. */
export const ownColours = new RegExp(`(\x1b\\[(?:0|${Object.values(colours).join('|')})m)`)

/** Returns whether colours may be written to a stream (https://no-color.org). */
export const hasColours = (stream: { readonly isTTY?: boolean }): boolean =>
  stream.isTTY === true && (process.env.NO_COLOR ?? '') === ''

/** Returns a function that colours text for a stream, or leaves it as it is. */
export const painter = (stream: { readonly isTTY?: boolean }): Paint => paintIf(hasColours(stream))

export const paintIf = (isColoured: boolean): Paint =>
  isColoured ? (colour, text) => `\x1b[${colours[colour]}m${text}\x1b[0m` : (_, text) => text
