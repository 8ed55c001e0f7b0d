/** The inks of «Serigrafía caribeña». Nothing in an illustration has another colour. */
export const P = {
  tinta: '#0B3C49',
  noche: '#0A2F3A',
  mar: '#147C86',
  marHondo: '#0F5D6B',
  turq: '#2BA8A4',
  espuma: '#8CC7B6',
  coral: '#E4572E',
  brasa: '#F0693F',
  sol: '#F4B03E',
  miel: '#F8C365',
  rosa: '#D6336C',
  hoja: '#3F7D4E',
  monte: '#2F6640',
  arena: '#F7DFB4',
  crema: '#FFF4DF',
}

/** Soft grounds of the small pictures, one a picture. */
export const TINTS = { sol: '#FCE3C1', mar: '#CDE9E4', coral: '#FBD5C5', rosa: '#FAD3DF' }

/** Rings of light around a sun on paper, from the outermost in. */
export const HALO = ['#FEEDC9', '#FDE2AE', '#FBD48C', '#F8C365']
