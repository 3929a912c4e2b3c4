import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Secrets that are easy to find again, in whatever form they are left behind. */
export class Canaries {
  /** The name of each, and every form of it. */
  readonly #forms = new Map<string, readonly string[]>()

  /** A passphrase. */
  phrase(name: string): string {
    return this.add(name, `Zq9-${randomBytes(6).toString('hex')}`)
  }

  /** A private key in hex, without 0x. */
  key(name: string): string {
    return this.add(name, `0f${randomBytes(31).toString('hex')}`)
  }

  add(name: string, secret: string): string {
    // Half of it is a find as well: errors and logs are shortened.
    const part = secret.slice(0, Math.max(14, secret.length / 2))
    const bytes = Buffer.from(secret)
    const hex = /^[0-9a-f]{64}$/.test(secret) ? Buffer.from(secret, 'hex') : undefined
    this.#forms.set(name, [
      part,
      part.toUpperCase(),
      bytes.toString('hex').slice(0, part.length * 2),
      // Of base64 what does not depend on where it begins: whole groups of three bytes.
      bytes.toString('base64').slice(0, 16),
      encodeURIComponent(part),
      [...secret].reverse().join(''),
      ...(hex === undefined ? [] : [hex.toString('latin1'), hex.toString('base64').slice(0, 24)]),
      // As a list of numbers, the way a byte array is printed.
      [...(hex ?? bytes)].slice(0, 8).join(','),
    ])
    return secret
  }

  /** The names of those that are in a text; bytes are given as latin1. */
  in(text: string): string[] {
    return [...this.#forms]
      .filter(([, forms]) => forms.some((form) => text.includes(form)))
      .map(([name]) => name)
  }

  /** `file: name` for each find in the files of a folder. */
  inFolder(folder: string): string[] {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .flatMap((entry) => {
        const path = join(entry.parentPath, entry.name)
        const finds = this.in(`${path}\n${readFileSync(path, 'latin1')}`)
        return finds.map((name) => `${path}: ${name}`)
      })
  }
}
