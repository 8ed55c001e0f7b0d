/**
 * Publishes the foundation's photos and writes the manifest that `<Imagen>` reads.
 *
 *   node scripts/images.mjs              photos/<slot>.{jpg,png,webp,avif,tif} → public/ilustraciones/fotos
 *   node scripts/images.mjs --comprobar  writes nothing; fails if the catalogue, the files or the manifest are wrong
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { entry, hasUpright, heavy, problems, provisional } from './images/catalogue.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const folders = {
  art: join(root, 'public/ilustraciones'),
  published: join(root, 'public/ilustraciones/fotos'),
  photos: join(root, 'photos'),
}
const manifestFile = join(root, 'src/art/manifest.json')
const catalogue = JSON.parse(readFileSync(join(root, 'src/content/imagenes.json'), 'utf8'))
const checking = process.argv.includes('--comprobar')

const photoOf = Object.fromEntries(
  readdirSync(folders.photos)
    .filter((name) => /\.(jpe?g|png|webp|avif|tiff?)$/i.test(name))
    .map((name) => [name.replace(/\.[^.]+$/, ''), join(folders.photos, name)]),
)
const wrong = problems(catalogue)
for (const slot of Object.keys(photoOf)) {
  if (!catalogue.some((item) => item.slot === slot)) wrong.push(`photos/${slot}: no hay un slot con ese nombre`)
}

/** The manifest as text. Also publishes the photos. */
async function build() {
  const { publishPhoto } = await import('./images/photo.mjs')
  rmSync(folders.published, { recursive: true, force: true })
  if (Object.keys(photoOf).length > 0) mkdirSync(folders.published, { recursive: true })
  const lines = []
  for (const item of catalogue) {
    const file = photoOf[item.slot]
    const photo = file ? await publishPhoto(item, file, folders.published) : undefined
    lines.push(`  ${JSON.stringify(item.slot)}: ${JSON.stringify(entry(item, photo))}`)
  }
  return `{\n${lines.join(',\n')}\n}\n`
}

/** Compares the committed manifest with the catalogue, without publishing photos. */
function stale() {
  if (!existsSync(manifestFile)) return ['src/art/manifest.json: falta; ejecuta npm run imagenes']
  const manifest = JSON.parse(readFileSync(manifestFile, 'utf8'))
  const found = []
  for (const item of catalogue) {
    const { photo: given, ...rest } = manifest[item.slot] ?? {}
    const upToDate = JSON.stringify(rest) === JSON.stringify(entry(item)) && Boolean(given) === Boolean(photoOf[item.slot])
    if (!upToDate) found.push(`${item.slot}: el manifiesto no está al día; ejecuta npm run imagenes`)
    if (given && !existsSync(join(folders.published, `${given.base}-${given.widths[0]}.jpg`))) found.push(`${item.slot}: falta la foto publicada`)
  }
  return found
}

/** The drawing in a slot without a photo. */
function missingArt() {
  const names = catalogue.flatMap((item) => [item.src, ...(hasUpright(item.slot) ? [item.src.replace('.svg', '-movil.svg')] : [])])
  return names.filter((src) => !existsSync(join(root, 'public', src))).map((src) => `${src}: falta el archivo`)
}

/** The sizes of all published files, by name. */
function sizes() {
  const files = readdirSync(folders.art, { recursive: true, withFileTypes: true }).filter((file) => file.isFile())
  return Object.fromEntries(files.map((file) => [file.name, statSync(join(file.parentPath, file.name)).size]))
}

if (!checking && wrong.length === 0) writeFileSync(manifestFile, await build())
wrong.push(...stale(), ...missingArt(), ...heavy(sizes()))
const waiting = provisional(catalogue, (slot) => slot in photoOf)
console.log(`Imágenes: ${catalogue.length} espacios, ${Object.keys(photoOf).length} fotos, ${waiting.length} provisionales.`)
if (waiting.length > 0) console.log(`Provisionales: ${waiting.join(', ')}`)
for (const line of wrong) console.error(`✗ ${line}`)
process.exitCode = wrong.length > 0 ? 1 : 0
