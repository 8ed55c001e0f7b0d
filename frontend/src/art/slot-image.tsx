import manifest from './manifest.json'

/** The name of a place for a picture in the site. */
export type Slot = keyof typeof manifest

/** The manifest's entry for a slot; scripts/images.mjs writes it. */
type Entry = {
  alt: string
  width: number
  height: number
  background?: string
  phone?: boolean
  photo?: { base: string; background: string; widths: number[]; phoneWidths?: number[] }
}

type Props = {
  slot: Slot
  /** The `sizes` of a photo. Drawings do not need it. */
  sizes?: string
  className?: string
  /** Set for a picture that is visible without scrolling. It is loaded before the others and before the scripts (public/start.js). */
  priority?: boolean
  /** Removes the alternative text if the same picture is shown twice. */
  decorative?: boolean
}

const FOLDER = '/ilustraciones'
const NARROW = '(max-width: 639px)'
const entries: Record<Slot, Entry> = manifest

const srcSet = (base: string, widths: number[], extension: string) =>
  widths.map((width) => `${FOLDER}/fotos/${base}-${width}.${extension} ${width}w`).join(', ')

/** The sources of a photo: modern formats first, upright crops on narrow screens. */
function PhotoSources({ photo, sizes }: { photo: NonNullable<Entry['photo']>; sizes: string }) {
  return ['avif', 'webp', 'jpg'].flatMap((extension) => {
    const type = extension === 'jpg' ? 'image/jpeg' : `image/${extension}`
    const wide = <source key={extension} type={type} srcSet={srcSet(photo.base, photo.widths, extension)} sizes={sizes} />
    if (!photo.phoneWidths) return [wide]
    const upright = srcSet(`${photo.base}-movil`, photo.phoneWidths, extension)
    return [
      <source key={`${extension}-movil`} type={type} media={NARROW} srcSet={upright} sizes={sizes} width={630} height={840} />,
      wide,
    ]
  })
}

/** A picture of the site: the foundation's photo if there is one, otherwise a drawing. */
export function SlotImage({ slot, sizes = '100vw', className = '', priority = false, decorative = false }: Props) {
  const { alt, width, height, background, phone, photo } = entries[slot]
  const smallest = photo ? `${FOLDER}/fotos/${photo.base}-${photo.widths[0] ?? width}.jpg` : `${FOLDER}/${slot}.svg`
  return (
    <picture className="contents">
      {photo ? <PhotoSources photo={photo} sizes={sizes} /> : null}
      {!photo && phone ? <source media={NARROW} srcSet={`${FOLDER}/${slot}-movil.svg`} width={630} height={840} /> : null}
      <img
        src={smallest}
        alt={decorative ? '' : alt}
        width={width}
        height={height}
        loading={priority ? 'eager' : 'lazy'}
        decoding={priority ? 'sync' : 'async'}
        fetchPriority={priority ? 'high' : 'auto'}
        {...(priority ? { elementtiming: 'primera' } : {})}
        className={`fondo-${photo?.background ?? background ?? 'crema'} ${className}`}
      />
    </picture>
  )
}
