import { expect, it } from 'vitest'
import { uploadedPicture } from './picture'

it('an uploaded picture has the widths up to its largest file, and its size', () => {
  expect(uploadedPicture('/imagenes/aB3-700x500/960.webp')).toEqual({
    srcSet: '/imagenes/aB3-700x500/480.webp 480w, /imagenes/aB3-700x500/960.webp 960w',
    width: 700,
    height: 500,
  })
})
it.each(['', '/fotos/gala.jpg', 'https://otro.do/imagenes/aB3-700x500/960.webp', '/imagenes/a/../b-1x1/960.webp'])(
  'any other picture is shown as it is: %s',
  (address) => {
    expect(uploadedPicture(address)).toBeNull()
  },
)
