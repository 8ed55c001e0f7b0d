// Lists the content that the foundation must confirm: invented contact data and provisional pictures.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createServer } from 'vite'

const ROOT = join(import.meta.dirname, '..')
const server = await createServer({ root: ROOT, logLevel: 'error', server: { middlewareMode: true }, appType: 'custom' })
try {
  const { pendingOnes } = await server.ssrLoadModule('/src/content/sitio.ts')
  console.log(`Datos por confirmar (src/content/sitio.ts): ${pendingOnes.length}`)
  for (const [key, value] of pendingOnes) console.log(`  ${key.padEnd(14)} ${value}`)
  const pictures = JSON.parse(await readFile(join(ROOT, 'src/content/imagenes.json'), 'utf8')).filter(({ provisional }) => provisional)
  console.log(`Imágenes provisionales (frontend/photos/<lugar>.jpg las sustituye): ${pictures.length}`)
  for (const { slot, alt } of pictures) console.log(`  ${slot.padEnd(18)} ${alt || '(decorativa)'}`)
  const { unconfirmedFacts } = await server.ssrLoadModule('/src/content/por-confirmar.ts')
  console.log(`Hechos por confirmar (src/content): ${unconfirmedFacts.length}`)
  for (const { file, fact } of unconfirmedFacts) console.log(`  ${file.padEnd(14)} ${fact}`)
} finally {
  await server.close()
}
