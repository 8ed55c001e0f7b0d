/** An address that may be a link (F-809): http, https, mailto or tel. Null for anything else. */
export function enlaceSeguro(texto: string): string | null {
  return conProtocolo(texto, ['http:', 'https:', 'mailto:', 'tel:'])
}

/** An address that may be a picture: http, https, or image data. Null for anything else. */
export function imagenSegura(texto: string): string | null {
  const limpio = texto.trim()
  if (/^data:image\/(?:png|jpeg|webp|gif|avif|svg\+xml)[;,]/.test(limpio)) return limpio
  return conProtocolo(limpio, ['http:', 'https:'])
}

function conProtocolo(texto: string, protocolos: string[]): string | null {
  const limpio = texto.trim()
  if (!limpio) return null
  try {
    return protocolos.includes(new URL(limpio, 'https://sitio.invalid').protocol) ? limpio : null
  } catch {
    return null
  }
}
