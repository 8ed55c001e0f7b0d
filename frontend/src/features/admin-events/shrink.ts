/** The back office's limits for uploads (server/backoffice): types, bytes and pixels. */
const TYPES = ['image/jpeg', 'image/png', 'image/webp']
const MAX_BYTES = 5 * 1024 * 1024
const MAX_PIXELS = 16_000_000
/** The maximum side of a picture that is reduced here. It is larger than any file that the site serves. */
const SIDE = 2400

/**
 * A picture that the back office accepts: the file itself or, if it is too large or of another type that the browser can decode (a phone's
 * photo, AVIF, HEIC), a smaller JPEG. A file that the browser cannot decode is returned unchanged: the back office reports the reason.
 */
export async function shrink(file: File): Promise<Blob> {
  let bitmap: ImageBitmap
  try {
    bitmap = await createImageBitmap(file)
  } catch {
    return file
  }
  try {
    const fits = TYPES.includes(file.type) && file.size <= MAX_BYTES && bitmap.width * bitmap.height <= MAX_PIXELS
    return fits ? file : ((await drawn(bitmap)) ?? file)
  } finally {
    bitmap.close()
  }
}

/** Draws a picture as a JPEG on white, with a maximum side. */
async function drawn(bitmap: ImageBitmap): Promise<Blob | null> {
  const scale = Math.min(1, SIDE / bitmap.width, SIDE / bitmap.height)
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(bitmap.width * scale))
  canvas.height = Math.max(1, Math.round(bitmap.height * scale))
  const context = canvas.getContext('2d')
  if (!context) return null
  context.fillStyle = 'white'
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/jpeg', 0.9))
}
