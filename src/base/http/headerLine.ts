/** A header of requests, as settings have it. */
export interface HeaderLine {
  /** The host that it is for, with a port if the line has one; undefined means all. */
  readonly host: string | undefined
  readonly name: string
  readonly value: string
}

const header = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):([\t\x20-\x7e]*)$/
const reserved = /^(?:content-length|host|transfer-encoding)$/i
const hostBefore = /^([0-9A-Za-z.-]+(?::\d{1,5})?|\[[0-9A-Fa-f:.]+\](?::\d{1,5})?) /

/** Parses a line such as `Name: value`. Returns undefined if it is not one, or if requests set this header themselves. */
export const parseHeaderLine = (line: string): HeaderLine | undefined => {
  const [, name, value] = header.exec(line) ?? []
  if (name === undefined || value === undefined || reserved.test(name)) return undefined
  return { host: undefined, name, value: value.trim() }
}

/** Parses a line such as `host Name: value`, or one without a host. */
export const parseHostHeaderLine = (line: string): HeaderLine | undefined => {
  const [before, host] = hostBefore.exec(line) ?? ['']
  const found = host === undefined ? undefined : parseHeaderLine(line.slice(before.length))
  return found === undefined ? parseHeaderLine(line) : { ...found, host }
}
