/** The widths in which the back office stores a picture (server/backoffice/picture). */
const WIDTHS = [480, 960, 1600]

/** The content of an uploaded picture's address: the available files, and the size of the largest. Null for other pictures. */
export function uploadedPicture(address: string): { srcSet: string; width: number; height: number } | null {
  const [, folder, width, height, largest] = /^(\/imagenes\/[A-Za-z0-9]+-(\d+)x(\d+)\/)(\d+)\.webp$/.exec(address) ?? []
  if (!folder) return null
  const widths = WIDTHS.filter((each) => each <= Number(largest))
  return {
    srcSet: widths.map((each) => `${folder}${each}.webp ${each}w`).join(', '),
    width: Number(width),
    height: Number(height),
  }
}

/** The JPEG file of an uploaded picture, for messengers and search engines. */
export function sharedPicture(address: string): string {
  return uploadedPicture(address) ? address.replace(/\d+\.webp$/, 'compartir.jpg') : address
}
