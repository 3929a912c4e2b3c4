import { parseHeaderLine, parseHostHeaderLine } from '../../base/http/headerLine.ts'
import { meansHttpUrl } from '../../base/http/httpUrl.ts'
import { parseDatabaseUrl } from '../../base/postgres/databaseUrl.ts'
import { type Kind, printable, quote, type Read, stringOnly, type TextParser } from './kind.ts'

/** The URL of a node that others run; it may have a user, a password and keys. */
export const remoteUrl = (): Kind<string> => {
  const fromText: TextParser<string> = (value) => {
    const url = printable.test(value) && URL.canParse(value) ? new URL(value) : undefined
    return url?.protocol === 'http:' || url?.protocol === 'https:' ? { value } : undefined
  }
  return {
    label: 'url',
    wanted: 'a URL that begins with http:// or https://',
    fromText,
    fromToml: stringOnly(fromText),
    toToml: quote,
  }
}

/** The path of a file, or the URL of one, which may have a user, a password and keys. */
export const fileOrUrl = (): Kind<string> => {
  const { fromText: urlFromText } = remoteUrl()
  const fromText: TextParser<string> = (value) => {
    if (/^[a-z][a-z0-9+.-]*:\/\//i.test(value) || meansHttpUrl(value)) return urlFromText(value)
    return printable.test(value) && value !== '' ? { value } : undefined
  }
  return {
    label: 'file or url',
    wanted: 'a file, or a URL that begins with http:// or https://',
    fromText,
    fromToml: stringOnly(fromText),
    toToml: quote,
  }
}

/** The URL of a PostgreSQL database, which may have a password. */
export const databaseUrl = (): Kind<string> => {
  const findFault = (value: unknown): string | undefined => {
    if (typeof value !== 'string' || !printable.test(value)) return 'it is not a text'
    try {
      parseDatabaseUrl(value)
      return undefined
    } catch (error) {
      return (error as Error).message // has nothing of the URL
    }
  }
  const fromText: TextParser<string> = (value) => (findFault(value) === undefined ? { value } : undefined)
  return {
    label: 'url',
    wanted: 'the URL of a database such as postgres://user:password@host:5432/name',
    fromText,
    fromToml: stringOnly(fromText),
    toToml: quote,
    locate: (value) => {
      const fault = findFault(value)
      return fault === undefined ? undefined : `what is not shown (${fault})`
    },
  }
}

/** Headers of requests, each as `Name: value`; as text they are lines, because values may have commas. */
export const headers = (parse = parseHeaderLine): Kind<readonly string[]> => {
  const all = (lines: readonly unknown[]): Read<readonly string[]> => {
    const texts = lines.map((line) => (typeof line === 'string' ? line.trim() : ''))
    return texts.every((text) => parse(text) !== undefined) ? { value: texts } : undefined
  }
  const fromText: TextParser<readonly string[]> = (text) =>
    text.trim() === '' ? { value: [] } : all(text.split('\n').filter((line) => line.trim() !== ''))
  return {
    label: 'header',
    wanted: 'headers such as "Authorization: Bearer …"',
    separator: '\n',
    fromText,
    fromToml: (value) => (Array.isArray(value) ? all(value) : stringOnly(fromText)(value)),
    toToml: (lines) => `[${lines.map(quote).join(', ')}]`,
  }
}

/** Headers for some hosts: each as `host Name: value`, or without a host for all. */
export const headersOfHosts = (): Kind<readonly string[]> => ({
  ...headers(parseHostHeaderLine),
  wanted: 'headers such as "rpc.example.org Authorization: Bearer …"',
})
