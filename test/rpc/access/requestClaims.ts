/** What a request says about itself beside its token and its body. */
export interface Claim {
  readonly value: string | undefined
  /** False: whoever says this is turned away, token or not. */
  readonly isFine: boolean
}

const fine = (value: string | undefined): Claim => ({ value, isFine: true })
const wrong = (value: string | undefined): Claim => ({ value, isFine: false })

export const hosts: readonly Claim[] = [
  fine('127.0.0.1'),
  fine('127.0.0.1:8545'),
  fine('localhost'),
  fine('LocalHost:8545'),
  fine('[::1]'),
  fine('[::1]:8545'),
  fine('192.0.2.7'),
  wrong('evil.example'),
  wrong('evil.example:8545'),
  wrong('localhost.evil.example'),
  wrong('127.0.0.1.evil.example'),
  wrong('localhost@evil.example'),
  wrong('evil.example/localhost'),
  wrong('localhost:x'),
  wrong('localhost:123456'),
  wrong('[::1].evil.example'),
  wrong('[localhost]'),
  wrong('127.1'),
  wrong('2130706433'),
  wrong('localhost, evil.example'),
]

/** A page's origin must be one that is let in. */
export const origins: readonly Claim[] = [
  fine(undefined),
  fine('http://localhost:3000'),
  fine('chrome-extension://abcdefghijklmnop'),
  wrong('http://evil.example'),
  wrong('https://localhost.evil.example'),
  wrong('https://127.0.0.1.evil.example'),
  wrong('http://localhost:3000.evil.example'),
  wrong('http://localhost@evil.example'),
  wrong('null'),
  wrong('file://'),
  wrong(''),
  wrong('evil://localhost'),
  wrong('http://evil.example/http://localhost'),
  wrong('http://localhost:3000, http://evil.example'),
  wrong('http://evil.example http://localhost:3000'),
  wrong('http://localhost:3000/'),
  wrong('http://localhost:3000\\.evil.example'),
  wrong('http://[::1].evil.example'),
  wrong('http://0x7f000001'),
  wrong('http://127.0.0.2'),
  wrong('chrome-extension-x://abcdefghijklmnop'),
  wrong('http://chrome-extension://abcdefghijklmnop'),
  wrong('data:text/html,'),
]

export const contentTypes: readonly Claim[] = [
  fine('application/json'),
  fine('application/json; charset=utf-8'),
  fine('Application/JSON'),
  fine('application/json;x=y'),
  wrong(undefined),
  wrong(''),
  wrong('text/plain'),
  wrong('text/plain; application/json'),
  wrong('application/x-www-form-urlencoded'),
  wrong('multipart/form-data; boundary=application/json'),
  wrong('text/json'),
  wrong('application/jsonp'),
  wrong('application/json, text/plain'),
  wrong('application/json/x'),
  wrong('x application/json'),
  wrong('application/\tjson'),
  wrong('*/*'),
]

/** The rest of a request line; only POST carries calls. */
export const verbs: readonly Claim[] = [
  ...Array.from({ length: 8 }, () => fine('POST')),
  wrong('GET'),
  wrong('PUT'),
  wrong('PATCH'),
  wrong('DELETE'),
  wrong('OPTIONS'),
  wrong('HEAD'),
  wrong('post'),
]

/** The target of the request line, over HTTP. */
export const requestTargets: readonly Claim[] = [
  fine('/'),
  fine('/rpc'),
  fine('//evil.example'),
  fine('/?a=http://evil.example'),
  wrong('http://evil.example/'),
  wrong('HTTP://EVIL.EXAMPLE'),
  wrong('http://localhost@evil.example/'),
  wrong('https://evil.example:8545/'),
  wrong('evil.example:8545'),
  wrong('ftp://localhost/'),
]

/** Headers that are there once more, before the one of the request. All are refused, whatever they say. */
export interface DoubledHeader {
  readonly name: string
  readonly header: readonly [name: string, value: string] | undefined
  readonly isFine: boolean
}

const once: DoubledHeader = { name: 'no header twice', header: undefined, isFine: true }
const twice = (name: string, value: string): DoubledHeader => ({
  name: `${name}: ${value} first`,
  header: [name, value],
  isFine: false,
})

export const doubledHeaders: readonly DoubledHeader[] = [
  once,
  twice('Host', 'localhost'),
  twice('host', 'evil.example'),
  twice('HOST', '127.0.0.1'),
  twice('Content-Type', 'application/json'),
  twice('content-type', 'text/plain'),
]
