/** The inks of «Serigrafía caribeña». Nothing in an illustration has another colour. */
export const P = {
  tinta: '#0B3C49',
  /** The same ink for strokes directly on the ground, which is dark in the dark theme: they are light there. */
  trazo: '#0B3C4A',
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

  // Second inks: what a flat ink looks like when it is printed thin over paper or over another.
  alba: '#FEEDC9',
  trigo: '#FDE2AE',
  oro: '#FBD48C',
  durazno: '#F9B79A',
  salmon: '#F7AE93',
  petalo: '#F7BDD0',
  flor: '#F3A4C0',
  bruma: '#B5DFD8',
  menta: '#9BD3CA',
  agua: '#7FC4C0',
  cresta: '#7FD0C9',
  rizo: '#5DBEBB',
  brisa: '#3AA6A8',
  fondo: '#2B8791',
  ola: '#1C8E93',
  enlace: '#0F6B74',
  selva: '#24523A',
  barro: '#C24420',
  canela: '#C97B4A',
  cobre: '#E2A06B',
  caoba: '#A9603A',
  noche1: '#0E4553',
  noche2: '#104E5C',
  noche3: '#125866',
  noche4: '#146270',
}

/** Soft grounds of the small pictures, one a picture. */
export const TINTS = { sol: '#FCE3C1', mar: '#CDE9E4', coral: '#FBD5C5', rosa: '#FAD3DF' }

/** Rings of light around a sun on paper, from the outermost in. */
export const HALO = [P.alba, P.trigo, P.oro, P.miel]

/**
 * The grounds and lights of a picture in the dark theme: paper becomes dark teal, and the rings of light around the sun
 * become darker teals. Objects keep their inks. A picture follows the colour scheme of the page that shows it.
 */
export const NIGHT = {
  [TINTS.sol]: '#123F4B',
  [TINTS.mar]: '#11454F',
  [TINTS.coral]: '#1C4450',
  [TINTS.rosa]: '#234253',
  [P.alba]: '#16505C',
  [P.trigo]: '#1A5D69',
  [P.oro]: '#1F6B76',
  [P.petalo]: '#3A4A63',
  [P.flor]: '#4B4F6C',
  [P.bruma]: '#1B5D68',
  [P.menta]: '#1F6B76',
  [P.agua]: '#27798A',
  [P.arena]: '#2A5563',
  [P.trazo]: '#FFF4DF',
}
/** The night of a picture whose ground is plain paper. */
export const NIGHT_PAPER = '#123F4B'
