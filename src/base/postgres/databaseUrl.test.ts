import { describe, expect, test } from 'vitest'
import { parseDatabaseUrl } from './databaseUrl.ts'

describe('the URL of a database', () => {
  test('names host, port, user, password and database', () => {
    expect(
      parseDatabaseUrl('postgres://ann:p%40ss@db.example:6432/fleet?sslmode=verify-full&sslrootcert=/ca.pem'),
    ).toEqual({
      hosts: [{ host: 'db.example', port: 6432 }],
      database: 'fleet',
      user: 'ann',
      password: 'p@ss',
      tls: { mode: 'verify-full', rootFile: '/ca.pem', certFile: undefined, keyFile: undefined },
      shown: 'postgres://db.example:6432/fleet',
    })
  })

  test('has defaults as those of PostgreSQL have them', () => {
    const { hosts, database, password, tls } = parseDatabaseUrl('postgresql://ann@db')
    expect({ hosts, database, password, mode: tls.mode }).toEqual({
      hosts: [{ host: 'db', port: 5432 }],
      database: 'ann',
      password: undefined,
      mode: 'prefer',
    })
  })

  test.each([
    [
      'postgres://a,b:6000/x',
      [
        { host: 'a', port: 5432 },
        { host: 'b', port: 6000 },
      ],
    ],
    ['postgres://[::1]:6000/x', [{ host: '::1', port: 6000 }]],
    ['postgres:///x?host=/run/postgresql', [{ path: '/run/postgresql/.s.PGSQL.5432' }]],
    ['postgres://:6000/x?host=/run/postgresql', [{ path: '/run/postgresql/.s.PGSQL.6000' }]],
  ])('%s', (url, hosts) => {
    expect(parseDatabaseUrl(url).hosts).toEqual(hosts)
  })

  test.each([
    'mysql://ann:secret@db/x',
    'postgres://ann:secret@/x',
    'postgres://ann:secret@db:99999/x',
    'postgres://ann:secret%zz@db/x',
    'postgres://ann:secret@db/x?sslmode=secret',
    'postgres://ann:secret@db/x?fsync=secret',
    'postgres://ann:sec@ret@db/x',
    'secret',
  ])('%s is rejected without a word of it', (url) => {
    expect(() => parseDatabaseUrl(url)).toThrow(/^(?!.*secret)/)
  })
})
