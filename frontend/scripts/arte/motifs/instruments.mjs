import { P } from '../lib/palette.mjs'

/**
 * The seven instruments of the school on a grid of 96, upright. `turn` is their pose as an icon;
 * `extra` is drawn outside that turn.
 */
export const INSTRUMENTS = {
  saxofon: {
    colour: P.sol,
    turn: 0,
    fill: '<path d="M36 18 32 61c-1.500 17 8 27 21.500 26.500C67 87 72.500 77 73.500 65c.8-10 4.500-17.500 12.500-23.500L55 40c5 5.500 6 12.500 5.200 20.500-.6 6-3 8.500-7 8.500s-6.200-3-6-8L46 17Z"/>',
    line:
      '<path d="M36 18 32 61c-1.500 17 8 27 21.500 26.500C67 87 72.500 77 73.500 65c.8-10 4.500-17.500 12.500-23.500L55 40c5 5.500 6 12.500 5.200 20.500-.6 6-3 8.500-7 8.500s-6.200-3-6-8L46 17"/><path d="M33 18h16"/><path d="M41 18c0-8.500-6.500-11.500-14.500-8.500L20 12"/><path d="M21.500 11.400 11 16.500" stroke-width="6"/><path d="M66 50.500h11" /><g paper thin><circle cx="40" cy="31" r="3"/><circle cx="39.500" cy="43" r="3"/><circle cx="39.500" cy="55" r="3"/></g>',
  },
  bajo: {
    colour: P.coral,
    turn: 38,
    fill: '<path d="M42 46c-3 0-4-3-5-7-1-5-7-5-7.500 1C29 47 30 51 27.500 56 23 65 23 76 31 82c5 4 11 3 17 2.500 5 .5 12 1.500 16.500-3C71 75 69.500 66 66 60c-2.500-4.500-2.500-7-1-12 1-4-3-7-6-4-2 2-3.500 3-6 3Z"/>',
    line:
      '<path d="M43.500 46.500c-4-.5-5.500-3.500-6.500-7.500-1-5-7-5-7.500 1C29 47 30 51 27.500 56 23 65 23 76 31 82c5 4 11 3 17 2.500 5 .5 12 1.500 16.500-3C71 75 69.500 66 66 60c-2.500-4.500-2.500-7-1-12 1-4-3-7-6-4-1.500 1.500-2.700 2.500-6.500 2.600"/><path d="M43.500 57V3.500M52.500 57V3.500M43.500 57h9M43.500 14h9M43.500 24h9M43.500 34h9M43.500 44.500h9"/><path d="M43.500 4c0-9-5-12-3-18 1.200-3.500 6-5 9-2.500 4 3.500 3 13 3 20.500"/><path d="M54-12h5M54-4.500h5"/><path d="M41 66.500h14M42 76.500h12"/>',
  },
  trompeta: {
    colour: P.sol,
    turn: -14,
    fill: '<path d="M60 40.500c12-.5 20-7 27.500-17.500v42C80 54.500 72 48.500 60 48Z"/><path d="M33 27h6v44h-6zM43.500 27h6v44h-6zM54 27h6v44h-6z"/>',
    line:
      '<path d="M8 44h52"/><path d="M60 40c12 0 20-6.500 27.500-17v42C80 54.500 72 48 60 48"/><path d="M6 37v14"/><path d="M60 44H34c-13 0-13 20 0 20h29c11 0 13-9.500 10.500-15"/><rect x="33" y="28" width="6" height="43" rx="2.500"/><rect x="43.500" y="28" width="6" height="43" rx="2.500"/><rect x="54" y="28" width="6" height="43" rx="2.500"/><path d="M36 28v-7M46.500 28v-7M57 28v-7M32.500 20h7M43 20h7M53.500 20h7"/>',
  },
  guitarra: {
    colour: P.coral,
    turn: 38,
    fill: '<path d="M48 38c9 0 14 5 13 12-.7 5 .3 7 3.500 11C73 71 66 88 48 88S23 71 31.500 61c3.200-4 4.200-6 3.500-11-1-7 4-12 13-12Z"/>',
    line:
      '<path d="M43.800 38.400C37.500 39.500 34.100 44 35 50c.7 5-.3 7-3.500 11C23 71 30 88 48 88s25-17 16.500-27c-3.200-4-4.200-6-3.500-11 .9-6-2.500-10.500-8.800-11.600"/><circle cx="48" cy="61" r="7"/><path d="M40 77h16"/><path d="M43.800 55.500V2M52.200 55.500V2M43.800 11h8.400M43.800 21h8.400M43.800 31h8.400M43.800 41h8.400"/><path d="M43.800 2 42-14h12l-1.800 16Z"/><path d="M38-10.500h3M38-4.500h3.500M55-10.500h3M54.500-4.500H58"/>',
  },
  canto: {
    colour: P.rosa,
    turn: 38,
    fill: '<path d="M30 26a18 18 0 0 1 36 0c0 7-3.500 12-8 15H38c-4.500-3-8-8-8-15Z"/><path d="M39.500 50h17l-3.500 42H43Z"/>',
    line:
      '<path d="M30 26a18 18 0 0 1 36 0c0 6.500-3 11.500-7.500 15h-21C33 37.500 30 32.500 30 26Z"/><path d="M37 41.500h22v8H37z"/><path d="M39.500 50 43 90.500c.2 2 9.800 2 10 0L56.500 50"/><path d="M33.500 18.500c8 4.500 21 4.500 29 0M31 30c9 5 25 5 34 0" thin/><path d="M48 8.500V41" thin/><path d="M48 60v7"/>',
    extra: '<path d="M17 66c-5-5-7.500-11-7.500-18M26.500 58c-3-3-4.500-6.500-4.500-10.500"/>',
  },
  flauta: {
    colour: P.turq,
    turn: -33,
    fill: '<rect x="-7" y="43" width="110" height="11" rx="4"/>',
    line:
      '<rect x="-7" y="42.500" width="110" height="11" rx="4"/><path d="M28 42.500v11M85 42.500v11"/><path d="M6 42.500c1.500-4.500 12.500-4.500 14 0" /><path d="M10.500 46.300h5.500" thin/><g paper thin><circle cx="40" cy="48" r="4.200"/><circle cx="51.500" cy="48" r="4.200"/><circle cx="63" cy="48" r="4.200"/><circle cx="74.500" cy="48" r="4.200"/></g><path d="M40 38.500h11.500M63 38.500h11.500"/><path d="M94 42.500v11" thin/>',
  },
  bateria: {
    colour: P.coral,
    turn: 0,
    fill: '<circle cx="48" cy="63" r="22"/><rect x="26" y="26" width="19" height="15" rx="2"/><rect x="51" y="26" width="19" height="15" rx="2"/>',
    line:
      '<circle cx="48" cy="63" r="22"/><circle cx="48" cy="63" r="15" thin/><path d="M26 28.500h18.500v11.500c-5.500 2.500-13 2.500-18.500 0ZM51.500 28.500H70v11.500c-5.500 2.500-13 2.500-18.500 0Z"/><path d="M4 22.500c7-4.500 15-6 22-4.500M92 22.500c-7-4.500-15-6-22-4.500"/><path d="M14.500 19 19 88M81.500 19 77 88"/><path d="m12 89 7-9 6 9M84 89l-7-9-6 9"/><path d="m33 79-5 9.500M63 79l5 9.500"/><path d="m58 11 8 14" /><path d="m38 11-8 14"/>',
  },
}

/** Moves the grid so that its centre is the origin. */
const centred = (svg) => `<g transform="translate(-48 -48)">${svg}</g>`

/** An instrument as a motif around its own centre. */
export const instrument = (name, colour) => {
  const it = INSTRUMENTS[name]
  return { fill: `<g fill="${colour ?? it.colour}">${centred(it.fill)}</g>`, line: centred(it.line) }
}
