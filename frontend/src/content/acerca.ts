/** Text of /informacion. The foundation edits it here. */
export const acerca = {
  title: 'Todo por Medio de la Música',
  entry: 'Una fundación dominicana que usa la música para abrir caminos: a la escuela, al oficio, a los demás.',
  objective: {
    title: 'Nuestro objetivo',
    text: 'Promover la música como medio de transformación social.',
    detail:
      'Quien aprende a tocar con otros aprende a escuchar, a esperar su entrada y a sostener a quien tiene al lado. Eso cambia un aula, una casa y un barrio.',
  },
  project: {
    title: 'El primer proyecto: una escuela de música',
    text: 'Una escuela de música abierta a la comunidad.',
    detail:
      'Clases en grupo, instrumentos prestados y maestros que acompañan. Se entra por ganas, no por dinero; se avanza por constancia.',
  },
  mission: { title: 'Misión', text: 'Formar personas íntegras mediante una educación musical accesible y de calidad.' },
  vision: { title: 'Visión', text: 'Ser referente nacional de formación musical con impacto social.' },
  values: {
    title: 'Nuestros valores',
    list: [
      { name: 'Tenacidad', text: 'Volvemos al compás difícil hasta que suena.' },
      { name: 'Compromiso', text: 'Lo que prometemos a una familia, se hace.' },
      { name: 'Respeto', text: 'Cada voz cuenta y a cada una se la escucha.' },
      { name: 'Pulcritud', text: 'Cuidamos el salón, el instrumento y la cuenta.' },
      { name: 'Responsabilidad', text: 'Llegamos a tiempo y con la parte estudiada.' },
      { name: 'Profesionalidad', text: 'Enseñamos con método y medimos lo que logramos.' },
      { name: 'Eficacia y eficiencia', text: 'Mucho con poco, y bien hecho.' },
    ],
  },
  programas: {
    title: 'Nuestros programas',
    list: [
      {
        name: 'Iniciación musical',
        ages: 'De 7 a 12 años',
        text: 'Ritmo, canto y juego. La primera puerta: aquí se descubre qué instrumento te llama.',
      },
      {
        name: 'Clases de instrumento',
        ages: 'Por niveles',
        text: 'Clases semanales con maestro y préstamo de instrumento según disponibilidad.',
        instrumentos: ['Piano', 'Guitarra', 'Flauta', 'Clarinete', 'Trompeta', 'Saxofón alto y tenor'],
      },
      { name: 'Teoría musical', ages: 'Para todos', text: 'Leer, escribir y entender lo que suena. La llave de cualquier partitura.' },
      {
        name: 'Banda y ensambles',
        ages: 'Con un año de estudio',
        text: 'La música se hace en grupo: ensayo semanal y conciertos abiertos a la comunidad.',
      },
    ],
    instrumentsLink: 'Ver los instrumentos',
    ensemblesLink: 'Conocer los ensambles',
    impactLink: 'Ver nuestro impacto',
  },
  call: {
    title: 'Una hora de clase cambia una semana',
    text: 'Tu aporte compra cuerdas, cañas y horas de clase.',
    button: 'Dona Ahora',
  },
} as const
