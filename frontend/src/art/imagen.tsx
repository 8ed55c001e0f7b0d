import manifest from './manifiesto.json'

/** The name of a place in the site that a picture fills. */
export type Slot = keyof typeof manifest

/** What the manifest knows of a slot; see scripts/imagenes.mjs, which writes it. */
type Entry = {
  alt: string
  width: number
  height: number
  fondo?: string
  movil?: boolean
  foto?: { base: string; fondo: string; anchos: number[]; anchosMovil?: number[] }
}

type Props = {
  slot: Slot
  /** The `sizes` of a photo; drawings don't need it. */
  sizes?: string
  className?: string
  /** For the one picture that is seen first: loaded at once, before the others. */
  priority?: boolean
  /** Takes the alternative text away where the same picture is shown twice. */
  decorativa?: boolean
}

const FOLDER = '/ilustraciones'
const NARROW = '(max-width: 639px)'
const entries: Record<Slot, Entry> = manifest

const srcSet = (base: string, widths: number[], extension: string) =>
  widths.map((width) => `${FOLDER}/fotos/${base}-${width}.${extension} ${width}w`).join(', ')

/** The sources of a photo: modern formats first, upright cuts on narrow screens. */
function PhotoSources({ foto, sizes }: { foto: NonNullable<Entry['foto']>; sizes: string }) {
  return ['avif', 'webp', 'jpg'].flatMap((extension) => {
    const type = extension === 'jpg' ? 'image/jpeg' : `image/${extension}`
    const wide = <source key={extension} type={type} srcSet={srcSet(foto.base, foto.anchos, extension)} sizes={sizes} />
    if (!foto.anchosMovil) return [wide]
    const upright = srcSet(`${foto.base}-movil`, foto.anchosMovil, extension)
    return [
      <source key={`${extension}-movil`} type={type} media={NARROW} srcSet={upright} sizes={sizes} width={630} height={840} />,
      wide,
    ]
  })
}

/** A picture of the site: the foundation's photo when there is one, else our drawing. */
export function Imagen({ slot, sizes = '100vw', className = '', priority = false, decorativa = false }: Props) {
  const { alt, width, height, fondo, movil, foto } = entries[slot]
  const smallest = foto ? `${FOLDER}/fotos/${foto.base}-${foto.anchos[0] ?? width}.jpg` : `${FOLDER}/${slot}.svg`
  return (
    <picture className="contents">
      {foto ? <PhotoSources foto={foto} sizes={sizes} /> : null}
      {!foto && movil ? <source media={NARROW} srcSet={`${FOLDER}/${slot}-movil.svg`} width={630} height={840} /> : null}
      <img
        src={smallest}
        alt={decorativa ? '' : alt}
        width={width}
        height={height}
        loading={priority ? 'eager' : 'lazy'}
        decoding={priority ? 'sync' : 'async'}
        fetchPriority={priority ? 'high' : 'auto'}
        className={`fondo-${foto?.fondo ?? fondo ?? 'crema'} ${className}`}
      />
    </picture>
  )
}
