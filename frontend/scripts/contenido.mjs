// Lists what the foundation has still to confirm: made-up contact data and provisional pictures.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createServer } from 'vite'

const ROOT = join(import.meta.dirname, '..')
const server = await createServer({ root: ROOT, logLevel: 'error', server: { middlewareMode: true }, appType: 'custom' })
try {
  const { pendientes } = await server.ssrLoadModule('/src/content/sitio.ts')
  console.log(`Datos por confirmar (src/content/sitio.ts): ${pendientes.length}`)
  for (const [key, value] of pendientes) console.log(`  ${key.padEnd(14)} ${value}`)
  const pictures = JSON.parse(await readFile(join(ROOT, 'src/content/imagenes.json'), 'utf8')).filter(({ provisional }) => provisional)
  console.log(`Imágenes provisionales (frontend/photos/<lugar>.jpg las sustituye): ${pictures.length}`)
  for (const { slot, alt } of pictures) console.log(`  ${slot.padEnd(18)} ${alt || '(decorativa)'}`)
  const { hechosPorConfirmar } = await server.ssrLoadModule('/src/content/por-confirmar.ts')
  console.log(`Hechos por confirmar (src/content): ${hechosPorConfirmar.length}`)
  for (const { archivo, hecho } of hechosPorConfirmar) console.log(`  ${archivo.padEnd(14)} ${hecho}`)
} finally {
  await server.close()
}
