/**
 * The foundation's identity and contact data. Every `porConfirmar` contains an invented value until the foundation provides the real one;
 * `npm run contenido` lists them.
 */
export type Unconfirmed = { porConfirmar: true; value: string }

/** Marks a value that is not confirmed yet. */
export function porConfirmar(value: string): Unconfirmed {
  return { porConfirmar: true, value }
}

/** The text of a value, confirmed or not. */
export function value(detail: string | Unconfirmed): string {
  return typeof detail === 'string' ? detail : detail.value
}

const data = {
  email: porConfirmar('correo@ejemplo.org'),
  phone: porConfirmar('000-000-0000'),
  whatsapp: porConfirmar('000-000-0000'),
  address: porConfirmar('Calle por confirmar, Santo Domingo Este'),
  instagram: porConfirmar('https://www.instagram.com/ejemplo'),
  youtube: porConfirmar('https://www.youtube.com/@ejemplo'),
  paypal: porConfirmar('https://www.paypal.com/donate'),
  mapPanel: porConfirmar('https://www.openstreetmap.org/export/embed.html?bbox=-69.88%2C18.46%2C-69.82%2C18.50&layer=mapnik'),
  times: porConfirmar('Lunes a sábado, 9:00\u00a0AM\u00a0–\u00a04:00\u00a0PM (AST)'),
  bankName: porConfirmar('Banco por confirmar'),
  bankRnc: porConfirmar('000-000000-0'),
  bankHolder: 'Fundación Todo por Medio de la Música',
  bankAccount: porConfirmar('000000000'),
} as const

/** A phone number for links: digits only. */
const digits = (phone: string) => phone.replaceAll(/\D/g, '')

/** The values as pages show them. */
export const site = {
  name: 'Fundación Todo por Medio de la Música',
  motto: 'Todo por Medio de la Música',
  city: 'Santo Domingo Este',
  /** The site's address, for canonical links. VITE_SITIO_URL overrides it in the build. */
  url: 'https://todopormediodelamusica.ejemplo.org',
  email: value(data.email),
  phone: value(data.phone),
  phoneLink: `tel:+1${digits(value(data.phone))}`,
  whatsapp: value(data.whatsapp),
  whatsappLink: `https://wa.me/1${digits(value(data.whatsapp))}`,
  address: value(data.address),
  instagram: value(data.instagram),
  youtube: value(data.youtube),
  paypal: value(data.paypal),
  times: value(data.times),
  mapPanel: value(data.mapPanel),
  bank: {
    name: value(data.bankName),
    rnc: value(data.bankRnc),
    holder: value(data.bankHolder),
    account: value(data.bankAccount),
  },
  /** Opening hours in the foundation's zone: Monday to Saturday, minutes from midnight. */
  hours: { days: [1, 2, 3, 4, 5, 6], opens: 9 * 60, closes: 16 * 60 },
} as const

/** The values that the foundation must confirm, for `npm run contenido`. */
export const pendingOnes: [string, string][] = Object.entries(data).flatMap(([key, detail]) =>
  typeof detail === 'string' ? [] : [[key, detail.value]],
)
