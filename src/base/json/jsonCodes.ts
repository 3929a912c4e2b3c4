// The codes of JSON's structural characters, which are the same in text and in UTF-8.

/** The largest of the codes of blanks. */
export const space = 0x20
export const quote = 0x22
export const comma = 0x2c
export const colon = 0x3a
export const openBracket = 0x5b
export const backslash = 0x5c
export const closeBracket = 0x5d
export const openBrace = 0x7b
export const closeBrace = 0x7d
