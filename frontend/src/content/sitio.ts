/**
 * Who the foundation is and how to reach it. Every `porConfirmar` holds a made-up value until the foundation gives
 * the real one; `npm run contenido` lists them.
 */
export type PorConfirmar = { porConfirmar: true; valor: string }

/** Marks a value that nobody has confirmed yet. */
export function porConfirmar(valor: string): PorConfirmar {
  return { porConfirmar: true, valor }
}

/** The text of a value, confirmed or not. */
export function valor(dato: string | PorConfirmar): string {
  return typeof dato === 'string' ? dato : dato.valor
}

const datos = {
  correo: porConfirmar('correo@ejemplo.org'),
  telefono: porConfirmar('000-000-0000'),
  whatsapp: porConfirmar('000-000-0000'),
  direccion: porConfirmar('Calle por confirmar, Santo Domingo Este'),
  instagram: porConfirmar('https://www.instagram.com/ejemplo'),
  youtube: porConfirmar('https://www.youtube.com/@ejemplo'),
  paypal: porConfirmar('https://www.paypal.com/donate'),
  mapa: porConfirmar('https://www.openstreetmap.org/export/embed.html?bbox=-69.88%2C18.46%2C-69.82%2C18.50&layer=mapnik'),
  horas: porConfirmar('Lunes a sábado, 9:00\u00a0AM\u00a0–\u00a04:00\u00a0PM (AST)'),
  bancoNombre: porConfirmar('Banco por confirmar'),
  bancoRnc: porConfirmar('000-000000-0'),
  bancoTitular: 'Fundación Todo por Medio de la Música',
  bancoCuenta: porConfirmar('000000000'),
} as const

/** A phone number as links carry it: digits only. */
const digitos = (telefono: string) => telefono.replaceAll(/\D/g, '')

/** The values as pages show them. */
export const sitio = {
  nombre: 'Fundación Todo por Medio de la Música',
  lema: 'Todo por Medio de la Música',
  ciudad: 'Santo Domingo Este',
  /** The site's own address, for canonical links; VITE_SITIO_URL overrides it when the site is built. */
  url: 'https://todopormediodelamusica.ejemplo.org',
  correo: valor(datos.correo),
  telefono: valor(datos.telefono),
  telefonoEnlace: `tel:+1${digitos(valor(datos.telefono))}`,
  whatsapp: valor(datos.whatsapp),
  whatsappEnlace: `https://wa.me/1${digitos(valor(datos.whatsapp))}`,
  direccion: valor(datos.direccion),
  instagram: valor(datos.instagram),
  youtube: valor(datos.youtube),
  paypal: valor(datos.paypal),
  horas: valor(datos.horas),
  mapa: valor(datos.mapa),
  banco: {
    nombre: valor(datos.bancoNombre),
    rnc: valor(datos.bancoRnc),
    titular: valor(datos.bancoTitular),
    cuenta: valor(datos.bancoCuenta),
  },
  /** Opening hours in the foundation's zone: Monday to Saturday, minutes from midnight. */
  horario: { dias: [1, 2, 3, 4, 5, 6], abre: 9 * 60, cierra: 16 * 60 },
} as const

/** What the foundation has still to confirm, for `npm run contenido`. */
export const pendientes: [string, string][] = Object.entries(datos).flatMap(([clave, dato]) =>
  typeof dato === 'string' ? [] : [[clave, dato.valor]],
)
