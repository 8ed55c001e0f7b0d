import { pendientes, sitio } from './content/sitio'
import type { Ruta } from './rutas'

/** What search engines and shared links say of a page. */
export type Meta = { titulo: string; descripcion: string; indexar: boolean }

const NOMBRE = 'Todo por Medio de la Música'

/** The pages that are prerendered and listed in sitemap.xml. */
export const PUBLICAS = [
  '/',
  '/informacion',
  '/historia',
  '/equipo',
  '/voluntarios',
  '/programas',
  '/instrumentos',
  '/ensambles',
  '/calendario',
  '/contacto',
  '/donar',
  '/privacidad',
] as const satisfies readonly Ruta[]

const publica = (titulo: string, descripcion: string): Meta => ({ titulo: `${titulo} · ${NOMBRE}`, descripcion, indexar: true })

/** Title (at most 65 letters) and description (70 to 160) of each page. */
export const META: Record<Ruta, Meta> = {
  '/': {
    titulo: 'Fundación Todo por Medio de la Música',
    descripcion:
      'Fundación dominicana sin fines de lucro: educación musical para niñas, niños y jóvenes en Santo Domingo Este. Eventos, donaciones y voluntariado.',
    indexar: true,
  },
  '/informacion': publica(
    'Quiénes somos',
    'Objetivo, misión, visión, valores y programas de la fundación: una escuela de música abierta a la comunidad dominicana.',
  ),
  '/historia': publica(
    'Nuestra Historia',
    'Constituida el 28 de febrero de 2025 por tres hermanas, la fundación nació de una convicción: la música cambia vidas.',
  ),
  '/equipo': publica('Nuestro Equipo', 'Quienes dirigen y acompañan la fundación, y la filosofía con la que enseñamos música cada día.'),
  '/voluntarios': publica(
    'Voluntarios',
    'Dos horas a la semana bastan para ayudar: beneficios, historias, preguntas frecuentes y solicitud de voluntariado.',
  ),
  '/programas': publica(
    'Programas',
    'Taller de composición de ocho semanas, orquesta juvenil y formación docente: los programas de la fundación, en detalle.',
  ),
  '/instrumentos': publica(
    'Nuestros Instrumentos',
    'Saxofón, bajo, trompeta, guitarra, canto, flauta y batería: elige el tuyo, resuelve tus dudas y solicita un instrumento.',
  ),
  '/ensambles': publica(
    'Ensambles',
    'Orquesta de cámara juvenil, big band y coro infantil: edades, ensayos, próximos conciertos y cómo audicionar.',
  ),
  '/calendario': publica(
    'Calendario de Eventos',
    'Conciertos, talleres y ensayos abiertos por mes o por semana, con lugar, precio y enlace para agregarlos a tu calendario.',
  ),
  '/contacto': publica(
    'Contactos',
    'Teléfono, WhatsApp, correo, dirección en Santo Domingo Este, horario y formulario para escribirle a la fundación.',
  ),
  '/donar': publica(
    'Donar',
    'Dona por PayPal, por transferencia o en especie: tu aporte compra cuerdas, cañas y horas de clase de música.',
  ),
  '/privacidad': publica(
    'Privacidad',
    'Qué datos guardan los formularios de este sitio, para qué, por cuánto tiempo y cómo pedir que se borren. Sin rastreadores.',
  ),
  '/eventos/:id': {
    ...publica('Evento', 'Fecha, hora, lugar y precio de un evento de la fundación Todo por Medio de la Música.'),
    indexar: true,
  },
  '/LogIn': {
    titulo: `Acceso · ${NOMBRE}`,
    descripcion: 'Acceso del equipo de la fundación a su panel de administración.',
    indexar: false,
  },
  '/AdminView': { titulo: `Panel · ${NOMBRE}`, descripcion: 'Panel de administración de la fundación.', indexar: false },
  '*': { titulo: `Página no encontrada · ${NOMBRE}`, descripcion: 'La dirección pedida no existe en este sitio.', indexar: false },
}

/** Facts about the foundation without those that nobody has confirmed yet: search engines are told nothing made up. */
function confirmados(datos: Record<string, string>): Record<string, string> {
  const porConfirmar = new Set(pendientes.map(([, valor]) => valor))
  return Object.fromEntries(Object.entries(datos).filter(([, valor]) => !porConfirmar.has(valor)))
}

/** Who the foundation is, for search engines. */
export function datosFundacion(url: string): object {
  const redes = Object.values(confirmados({ instagram: sitio.instagram, youtube: sitio.youtube }))
  return {
    '@context': 'https://schema.org',
    '@type': 'NGO',
    name: sitio.nombre,
    slogan: sitio.lema,
    url,
    logo: `${url}/icono-512.png`,
    foundingDate: '2025-02-28',
    ...confirmados({ email: sitio.correo, telephone: sitio.telefono }),
    address: {
      '@type': 'PostalAddress',
      ...confirmados({ streetAddress: sitio.direccion }),
      addressLocality: sitio.ciudad,
      addressCountry: 'DO',
    },
    ...(redes.length > 0 ? { sameAs: redes } : {}),
  }
}
