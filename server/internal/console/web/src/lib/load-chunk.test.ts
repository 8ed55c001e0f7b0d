import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { loadChunk } from './load-chunk'

// The images of the site and of the console are built from a folder each, so that they share no file.
it('is the same as in the site, which tests it', async () => {
  const [own, site] = ['.', '../../../../../../frontend/src/lib'].map((folder) =>
    readFileSync(join(import.meta.dirname, folder, 'load-chunk.ts'), 'utf8'),
  )
  expect(own).toBe(site)
  expect(await loadChunk(async () => 'chunk')).toBe('chunk')
})
