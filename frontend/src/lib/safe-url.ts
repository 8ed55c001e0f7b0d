/** An address that is safe as a link (F-809): http, https, mailto or tel. Null for any other. */
export function safeLink(text: string): string | null {
  return withProtocol(text, ['http:', 'https:', 'mailto:', 'tel:'])
}

/** An address that is safe as a picture: http, https, or image data. Null for any other. */
export function safeImage(text: string): string | null {
  const clean = text.trim()
  if (/^data:image\/(?:png|jpeg|webp|gif|avif|svg\+xml)[;,]/.test(clean)) return clean
  return withProtocol(clean, ['http:', 'https:'])
}

function withProtocol(text: string, protocols: string[]): string | null {
  const clean = text.trim()
  if (!clean) return null
  try {
    return protocols.includes(new URL(clean, 'https://sitio.invalid').protocol) ? clean : null
  } catch {
    return null
  }
}
