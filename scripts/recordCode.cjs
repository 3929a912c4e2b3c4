// Loaded into every thread of the program by `scripts/codeCache.ts`: keeps the scripts that are made, and writes their
// compiled code, with the functions that ran until then, when the file RECORD_CODE appears.
const { existsSync, renameSync, writeFileSync } = require('node:fs')
const { basename, join } = require('node:path')
const { setFlagsFromString } = require('node:v8')
const { threadId } = require('node:worker_threads')
const vm = require('node:vm')

const folder = process.env.RECORD_CODE_FOLDER
const scripts = []

vm.Script = class extends vm.Script {
  constructor(text, options) {
    super(text, options)
    if (options?.cachedData !== undefined) scripts.push({ file: options.filename, script: this })
  }
}

// What ran once, as modules do, would be forgotten soon. The flag is set back before the code is written, which is bound to
// the flags of its process.
setFlagsFromString('--no-flush-bytecode')

const timer = setInterval(() => {
  if (!existsSync(join(folder, 'write'))) return
  clearInterval(timer)
  setFlagsFromString('--flush-bytecode')
  for (const { file, script } of scripts) {
    const path = join(folder, basename(file))
    writeFileSync(`${path}.${threadId}`, script.createCachedData())
    renameSync(`${path}.${threadId}`, `${path}.code`)
  }
}, 20)
timer.unref()
