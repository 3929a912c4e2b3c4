import { Database } from '../../base/postgres/database.ts'
import type { Config } from '../../config/settings/settings.ts'
import { fleetMigrations, fleetSchema } from '../../gateway/fleet/schema.ts'
import { type Finding, ok, warning } from './finding.ts'

/** The oldest server that is tried. */
const oldestServer = 15
/** Beyond so many seconds a clock is wrong, and not only the response slow. */
const clockToleranceSeconds = 10

interface DatabaseState {
  /** The version of the server, as `150008` for 15.8. */
  readonly server: number
  readonly now: number
  /** The version of the schema; undefined if no gateway has made it yet. */
  readonly schema: { readonly version: number; readonly compatibleFrom: number } | undefined
}

const readState = (database: Database): Promise<DatabaseState> =>
  database.run(async (sql) => {
    const [row] = await sql<{ server: string; now: string; found: string | null }[]>`
      select current_setting('server_version_num') as server, extract(epoch from now()) as now,
        to_regclass(${`${fleetSchema}.schema_version`})::text as found`
    const { server, now, found } = row as NonNullable<typeof row> // the query returns one row
    const [version] =
      found === null
        ? []
        : await sql<{ version: number; compatible_from: number }[]>`
            select version, compatible_from from ${sql(fleetSchema)}.schema_version where id = 1`
    return {
      server: Number(server),
      now: Number(now),
      schema: version && { version: version.version, compatibleFrom: version.compatible_from },
    }
  })

const examineState = ({ server, now, schema }: DatabaseState, shown: string): readonly Finding[] => {
  const findings: Finding[] = []
  const major = Math.floor(server / 10_000)
  if (major < oldestServer)
    findings.push(
      warning('database', `${shown} is PostgreSQL ${major}`, `use PostgreSQL ${oldestServer} or newer`),
    )
  const seconds = Math.round(now - Date.now() / 1_000)
  if (Math.abs(seconds) > clockToleranceSeconds)
    findings.push(
      warning(
        'clock',
        `this clock differs by ${seconds} s from that of the database`,
        'set both clocks (`timedatectl set-ntp true`)',
      ),
    )
  const newest = fleetMigrations.at(-1)?.version ?? 0
  if (schema !== undefined && schema.compatibleFrom > newest)
    findings.push(
      warning(
        'database',
        `the schema of ${shown} has version ${schema.version}, which this release cannot use`,
        'install the release of the other gateways',
      ),
    )
  if (findings.length > 0) return findings
  const tables =
    schema === undefined || schema.version === 0
      ? 'the first gateway makes its tables'
      : `its schema is of version ${schema.version}`
  return [ok('database', `${shown} answers (PostgreSQL ${major}), ${tables}`)]
}

/** Looks whether the database of a fleet can be used: without it a gateway starts, and keeps nothing for the others. */
export const checkDatabase = async ({ gateway }: Pick<Config, 'gateway'>): Promise<readonly Finding[]> => {
  if (gateway.database === undefined) return []
  const log = { warn: () => undefined, info: () => undefined }
  const database = new Database({ url: gateway.database, name: 'perihelion doctor', maxConnections: 1, log })
  try {
    return examineState(await readState(database), database.shown)
  } catch (error) {
    const text = `${database.shown} cannot be used: ${(error as Error).message}`
    return [warning('database', text, 'start it, let this machine reach it, or correct gateway.database')]
  } finally {
    database.close()
  }
}
