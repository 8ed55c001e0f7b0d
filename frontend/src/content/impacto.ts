/** A figure of the foundation's work. It is null until the foundation has counted it, and the page then says so. */
type Count = { name: string; figure: string | null; text: string }

/** The figures, one in each bar of the staff. */
const counts: Count[] = [
  { name: 'Alumnas y alumnos', figure: null, text: 'Personas con al menos una clase en el mes, según la lista de asistencia.' },
  { name: 'Horas de clase', figure: null, text: 'Horas dadas, en grupo y de instrumento, desde que abrió la escuela.' },
  { name: 'Conciertos', figure: null, text: 'Presentaciones abiertas al público. Cada una está en el calendario.' },
  { name: 'Instrumentos en préstamo', figure: null, text: 'Los que hoy están en casa de alguien que estudia.' },
]

/** Text of /impacto. The foundation edits it here and puts its figures into `counts`. */
export const impacto = {
  title: 'Impacto',
  entry: 'Lo que cambia cuando hay clase. Publicamos solo lo que podemos contar y enseñar.',
  counts: {
    title: 'Lo que contamos',
    list: counts,
    pending: 'Cifra por confirmar',
    note: 'Un compás sin nota es un silencio: la cifra aún no está contada. Preferimos callar a inventar.',
  },
  effects: { title: 'Lo que hace una donación' },
  method: {
    title: 'Cómo lo contamos',
    steps: [
      { name: 'Se anota', text: 'Cada clase tiene su lista: quién vino, cuánto duró y con qué instrumento.' },
      { name: 'Se suma', text: 'Al cierre del mes se suman las listas, los préstamos y los conciertos.' },
      { name: 'Se publica', text: 'Las cifras se publican aquí, con la fecha en que se contaron.' },
      { name: 'Se comprueba', text: 'Los ensayos son abiertos: ven, escucha y pregunta.' },
    ],
  },
  call: {
    title: 'La próxima cifra puede llevar tu nombre',
    text: 'Una donación compra cuerdas, cañas y horas de clase.',
    button: 'Donar Ahora',
  },
  link: 'Ver nuestro impacto',
}
