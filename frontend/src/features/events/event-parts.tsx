import { MapPin } from 'lucide-react'
import { type ReactNode, useCallback, useState } from 'react'
import { t } from '../../i18n/es'
import { tEvent } from '../../i18n/es-events'
import { publicPrice } from '../../lib/money'
import { uploadedPicture } from '../../lib/picture'
import { mapLink } from '../../lib/links'
import type { PublicEvent } from '../../lib/event'
import { safeLink } from '../../lib/safe-url'

/** A link to another site. It opens in a new tab, which its label announces. */
export function ExternalLink({ a, className = 'enlace', children }: { a: string; className?: string; children: string }) {
  const href = safeLink(a)
  if (!href) return null
  return (
    <a href={href} target="_blank" rel="noopener noreferrer" className={className}>
      {children}
      <span className="sr-only"> {t.common.newTab}</span>
    </a>
  )
}

type ImageProps = {
  event: Pick<PublicEvent, 'image' | 'imageAlt'>
  alt?: string /** How wide the picture is shown. */
  sizes: string
  className?: string
  lazy?: boolean
  /** Set for the picture of the first screen. It is loaded before the scripts. */
  priority?: boolean
  fallback?: ReactNode
}

/** The picture of an event, or a drawing if it has none or the picture cannot be loaded. */
export function EventImage({
  event,
  alt = event.imageAlt,
  sizes,
  className = '',
  lazy = false,
  priority = false,
  fallback = null,
}: ImageProps) {
  const [lost, setLost] = useState<string | null>(null)
  const { image } = event
  // A picture in the page's HTML may have failed before React listens for that.
  const checkFailed = useCallback((img: HTMLImageElement | null) => {
    if (img?.complete && img.naturalWidth === 0) setLost(img.getAttribute('src'))
  }, [])
  if (!image || image === lost) return fallback
  const uploaded = uploadedPicture(image)
  return (
    <img
      ref={checkFailed}
      src={image}
      srcSet={uploaded?.srcSet}
      sizes={uploaded ? sizes : undefined}
      alt={alt}
      width={uploaded?.width ?? 640}
      height={uploaded?.height ?? 400}
      loading={lazy ? 'lazy' : 'eager'}
      {...(priority ? { fetchPriority: 'high' as const, elementtiming: 'primera' } : {})}
      onError={() => setLost(image)}
      className={`object-cover ${uploaded ? '' : 'aspect-[16/10]'} ${className}`}
    />
  )
}

/** «Ver ubicación»: a map search for the place, if there is one (F-122). */
export function PlaceLink({ place }: { place: string }) {
  const href = mapLink(place)
  if (!href) return null
  return (
    <span className="inline-flex items-center gap-1">
      <MapPin aria-hidden="true" size={18} className="text-acento shrink-0" />
      <ExternalLink a={href} className="enlace inline-flex min-h-11 items-center">
        {tEvent.seePlace}
      </ExternalLink>
    </span>
  )
}

/** Price, artist and description, each only if it is set (F-123, F-124). */
export function EventBody({ event }: { event: PublicEvent }) {
  const price = publicPrice(event.price)
  return (
    <>
      {price || event.artist ? (
        <dl className="grid gap-1">
          {price ? (
            <div className="flex gap-2">
              <dt className="text-suave shrink-0">{tEvent.price}</dt>
              <dd className="font-semibold">{price}</dd>
            </div>
          ) : null}
          {event.artist ? (
            <div className="flex gap-2">
              <dt className="text-suave shrink-0">{tEvent.artist}</dt>
              <dd className="font-semibold wrap-anywhere">{event.artist}</dd>
            </div>
          ) : null}
        </dl>
      ) : null}
      {event.description ? <p className="max-w-prose wrap-anywhere whitespace-pre-line">{event.description}</p> : null}
    </>
  )
}
