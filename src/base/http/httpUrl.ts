/**
 * Returns whether a text means a URL of http or https, and not a file, even if it is not a valid one: it may hold a key, so it
 * must not be shown as the name of a file.
 */
export const meansHttpUrl = (text: string): boolean => /^\s*https?:/i.test(text)
