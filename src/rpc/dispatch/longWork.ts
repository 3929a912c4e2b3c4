/** The length from which on a body is read, and its parameters are decoded, in slices. */
export const longBody = 8192
