#!/usr/bin/env node
process.stderr.write('perihelion: nothing to run yet\n')
