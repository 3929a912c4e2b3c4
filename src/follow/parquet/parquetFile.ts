import { AtomicFile } from '../../base/files/atomicFile.ts'
import type { Table } from '../tables/column.ts'
import { ParquetColumns, parquetSchema } from './parquetColumns.ts'

/** The writer is loaded when a file is written first: no other command needs it. */
const loadWriter = () => import('hyparquet-writer')
type Library = Awaited<ReturnType<typeof loadWriter>>

/** A group of rows is in memory until it is written: so many, or so many bytes. */
const groupRows = 100_000
const groupBytes = 64 * 2 ** 20

/** A file with rows of one table, which has its name when it is whole. */
export class ParquetFile {
  readonly #file: AtomicFile
  readonly #bytes: InstanceType<Library['ByteWriter']>
  readonly #writer: InstanceType<Library['ParquetWriter']>
  readonly #group: ParquetColumns

  private constructor(file: AtomicFile, table: Table, { ByteWriter, ParquetWriter }: Library) {
    this.#file = file
    this.#bytes = new ByteWriter()
    this.#writer = new ParquetWriter({
      writer: this.#bytes,
      schema: parquetSchema(table),
      createdBy: 'perihelion',
      kvMetadata: [{ key: 'table', value: table.name }],
    })
    this.#group = new ParquetColumns(table)
  }

  static async create(path: string, table: Table): Promise<ParquetFile> {
    const library = await loadWriter()
    return new ParquetFile(await AtomicFile.create(path), table, library)
  }

  async write(rows: ParquetColumns): Promise<void> {
    this.#group.append(rows)
    if (this.#group.rows >= groupRows || this.#group.bytes >= groupBytes) await this.#writeGroup()
  }

  /** Gives the file its name. */
  async finish(): Promise<void> {
    if (this.#group.rows > 0) await this.#writeGroup()
    await this.#writer.finish()
    await this.#drain()
    await this.#file.finish()
  }

  async discard(): Promise<void> {
    await this.#file.discard()
  }

  async #writeGroup(): Promise<void> {
    const { rows } = this.#group
    await this.#writer.write({ columnData: this.#group.take(), rowGroupSize: rows })
    await this.#drain()
  }

  /** Writes what is encoded; its buffer is used again. */
  async #drain(): Promise<void> {
    await this.#file.write(this.#bytes.getBytes())
    this.#bytes.index = 0
  }
}
